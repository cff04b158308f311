import { expected, messageOf } from '../../core/errors.ts'
import { mostSchemaVersions } from '../../core/message/schema-change.ts'
import { BadSchema, compileSchema, isSchema } from '../../core/json-schema/compile.ts'
import type { CompiledSchema } from '../../core/json-schema/compile.ts'
import { CannotApply } from '../../core/json-schema/cost.ts'
import { faultIn } from '../../core/json-schema/evaluate.ts'
import type { Fault } from '../../core/json-schema/evaluate.ts'
import { linearPattern } from './linear-patterns.ts'
import { metaSchema } from './meta-schema.ts'

/** Checks a value; answers with what is wrong and where, or null. */
export type Validate = (value: unknown) => string | null

const mostSchemaCharacters = 256 * 1024
/** Steps that one check may take, a tenth of a second or so: enough for a mebibyte of small items, each with a simple schema. */
const mostSteps = 1_000_000
const form = compileSchema(metaSchema, linearPattern)

/** A check of values against a JSON Schema; one that would take too long is what is wrong with a value, too. */
export function validatorOf(schema: unknown, most = mostSteps): Validate {
  const compiled = compiledOf(schema)
  return (value) => sentenceOf(typeof compiled === 'string' ? notApplied(compiled) : applied(compiled, value, most))
}

/** What is wrong with a schema or, if nothing is, what is wrong with a value by it. */
export interface SchemaCheck {
  readonly schema: Fault | null
  readonly value: Fault | null
}

/** Checks both, as far as it goes. A value that is undefined is not there to be checked. */
export function checkOf(schema: unknown, value?: unknown): SchemaCheck {
  const fault = faultOfSchema(schema)
  if (fault !== null || value === undefined) return { schema: fault, value: null }
  const compiled = compiledOf(schema)
  return {
    schema: null,
    value: typeof compiled === 'string' ? notApplied(compiled) : applied(compiled, value, mostSteps),
  }
}

/** The schema, or why it is none that can be applied. */
function compiledOf(schema: unknown): CompiledSchema | string {
  if (!isSchema(schema)) return 'it is neither an object nor true or false'
  try {
    return compileSchema(schema, linearPattern)
  } catch (error) {
    return messageOf(error)
  }
}

function applied(schema: CompiledSchema, value: unknown, most: number): Fault | null {
  try {
    return faultIn(schema, value, most)
  } catch (error) {
    if (error instanceof CannotApply) return notApplied(error.message)
    throw error
  }
}

/** Of the value as a whole: nobody can say more. */
function notApplied(why: string): Fault {
  return { pointer: '', says: `the schema cannot be applied: ${why}` }
}

export function sentenceOf(fault: Fault | null): string | null {
  if (fault === null) return null
  return fault.pointer === '' ? fault.says : `${fault.pointer}: ${fault.says}`
}

/** Refuses what is no table of JSON Schemas by version, before it could refuse every message. */
export function checkSchemas(schemas: unknown): void {
  if (
    typeof schemas !== 'object' ||
    schemas === null ||
    Array.isArray(schemas) ||
    Object.keys(schemas).length > mostSchemaVersions
  ) {
    throw expected(
      'invalid_argument',
      'schemas',
      `an object of at most ${mostSchemaVersions} JSON Schemas by version`,
      schemas,
    )
  }
  for (const [version, schema] of Object.entries(schemas)) {
    const problem = sentenceOf(faultOfSchema(schema))
    if (problem !== null) throw expected('invalid_argument', `schemas.${version}`, 'a JSON Schema', problem)
  }
}

function faultOfSchema(schema: unknown): Fault | null {
  try {
    const text = JSON.stringify(schema) ?? ''
    if (text.length > mostSchemaCharacters)
      return { pointer: '', says: `${text.length} characters, more than ${mostSchemaCharacters}` }
    const copy: unknown = JSON.parse(text)
    const fault = faultIn(form, copy, mostSteps)
    if (fault !== null || !isSchema(copy)) return fault ?? { pointer: '#', says: 'neither an object nor true or false' }
    // What the form of a schema does not show: whether its references lead somewhere, and its patterns can be run.
    compileSchema(copy, linearPattern)
    return null
  } catch (error) {
    return error instanceof BadSchema ? error : { pointer: '', says: messageOf(error) }
  }
}
