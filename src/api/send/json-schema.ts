import { expected, messageOf } from '../../core/errors.ts'
import { compileSchema, isSchema } from '../../core/json-schema/compile.ts'
import type { CompiledSchema } from '../../core/json-schema/compile.ts'
import { CannotApply } from '../../core/json-schema/cost.ts'
import { problemIn } from '../../core/json-schema/evaluate.ts'
import { linearPattern } from './linear-patterns.ts'
import { metaSchema } from './meta-schema.ts'

/** Checks a value; answers with what is wrong and where, or null. */
export type Validate = (value: unknown) => string | null

const mostVersions = 100
const mostSchemaCharacters = 256 * 1024
/** Steps that one check may take, a tenth of a second or so: enough for a mebibyte of small items, each with a simple schema. */
const mostSteps = 1_000_000
const form = compileSchema(metaSchema, linearPattern)

/** A check of values against a JSON Schema; one that would take too long is what is wrong with a value, too. */
export function validatorOf(schema: unknown, most = mostSteps): Validate {
  const compiled = compiledOf(schema)
  return (value) =>
    typeof compiled === 'string' ? `the schema cannot be applied: ${compiled}` : applied(compiled, value, most)
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

function applied(schema: CompiledSchema, value: unknown, most: number): string | null {
  try {
    return problemIn(schema, value, most)
  } catch (error) {
    if (error instanceof CannotApply) return `the schema cannot be applied: ${error.message}`
    throw error
  }
}

/** Refuses what is no table of JSON Schemas by version, before it could refuse every message. */
export function checkSchemas(schemas: unknown): void {
  if (
    typeof schemas !== 'object' ||
    schemas === null ||
    Array.isArray(schemas) ||
    Object.keys(schemas).length > mostVersions
  ) {
    throw expected(
      'invalid_argument',
      'schemas',
      `an object of at most ${mostVersions} JSON Schemas by version`,
      schemas,
    )
  }
  for (const [version, schema] of Object.entries(schemas)) {
    const problem = problemOfSchema(schema)
    if (problem !== null) throw expected('invalid_argument', `schemas.${version}`, 'a JSON Schema', problem)
  }
}

function problemOfSchema(schema: unknown): string | null {
  try {
    const text = JSON.stringify(schema) ?? ''
    if (text.length > mostSchemaCharacters) return `${text.length} characters, more than ${mostSchemaCharacters}`
    const copy: unknown = JSON.parse(text)
    const problem = problemIn(form, copy, mostSteps)
    if (problem !== null || !isSchema(copy)) return problem ?? 'neither an object nor true or false'
    // What the form of a schema does not show: whether its references lead somewhere, and its patterns can be run.
    compileSchema(copy, linearPattern)
    return null
  } catch (error) {
    return messageOf(error)
  }
}
