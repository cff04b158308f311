import { expected, messageOf } from '../../core/errors.ts'
import { mostSchemaVersions } from '../../core/message/schema-change.ts'
import { BadSchema, compileSchema, isSchema } from '../../core/json-schema/compile.ts'
import type { CompiledSchema } from '../../core/json-schema/compile.ts'
import { CannotApply } from '../../core/json-schema/cost.ts'
import { faultIn } from '../../core/json-schema/evaluate.ts'
import type { Fault } from '../../core/json-schema/evaluate.ts'
import { linearPattern } from './linear-patterns.ts'
import { metaSchema } from './meta-schema.ts'

/** Checks a value; returns what is wrong and where, or null. */
export type Validate = (value: unknown) => string | null

const mostSchemaCharacters = 256 * 1024
/** The steps that one check may take, about a tenth of a second: enough for a mebibyte of small items with a simple schema each. */
const mostSteps = 1_000_000
const form = compileSchema(metaSchema, linearPattern)

/** A check of values against a JSON Schema; a check that would take too long also counts as a problem. */
export function validatorOf(schema: unknown, most = mostSteps): Validate {
  const compiled = compiledOf(schema)
  return (value) => sentenceOf(typeof compiled === 'string' ? notApplied(compiled) : applied(compiled, value, most))
}

/** What is wrong with a schema or, if it is valid, with a value. */
export interface SchemaCheck {
  readonly schema: Fault | null
  readonly value: Fault | null
}

/** Checks both, as far as possible. An undefined value is not checked. */
export function checkOf(schema: unknown, value?: unknown): SchemaCheck {
  const fault = faultOfSchema(schema)
  if (fault !== null || value === undefined) return { schema: fault, value: null }
  const compiled = compiledOf(schema)
  return {
    schema: null,
    value: typeof compiled === 'string' ? notApplied(compiled) : applied(compiled, value, mostSteps),
  }
}

/** The schema, or why it cannot be applied. */
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

/** About the value as a whole: no place can be named. */
function notApplied(why: string): Fault {
  return { pointer: '', says: `the schema cannot be applied: ${why}` }
}

export function sentenceOf(fault: Fault | null): string | null {
  if (fault === null) return null
  return fault.pointer === '' ? fault.says : `${fault.pointer}: ${fault.says}`
}

/** Refuses an invalid table of JSON Schemas by version, before it could refuse every message. */
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
    // The form of a schema does not show whether its references resolve and its patterns can run.
    compileSchema(copy, linearPattern)
    return null
  } catch (error) {
    return error instanceof BadSchema ? error : { pointer: '', says: messageOf(error) }
  }
}
