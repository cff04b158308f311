import { dereference, Validator } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import { expected, messageOf } from '../../core/errors.ts'
import { metaSchema } from './meta-schema.ts'

/** Checks a value; answers with what is wrong and where, or null. */
export type Validate = (value: unknown) => string | null

type Draft = '4' | '7' | '2019-09' | '2020-12'

const draftNames: readonly (readonly [string, Draft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
]
const mostVersions = 100
const mostSchemaCharacters = 256 * 1024
// Where the validator keeps what a reference leads to.
const resolved = '__absolute_ref__'
const form = new Validator(metaSchema, '2020-12')

/** A check of values against a JSON Schema. */
export function validatorOf(schema: unknown): Validate {
  // A copy: the validator writes into what it is given.
  const validator = new Validator(structuredClone(schema) as Schema | boolean, draftOf(schema))
  return (value) => {
    try {
      return problemOf(validator.validate(value))
    } catch (error) {
      // A schema that refers to itself without an end, for one.
      return `the schema cannot be applied: ${messageOf(error)}`
    }
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

function draftOf(schema: unknown): Draft {
  const named = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : ''
  return draftNames.find(([name]) => named.includes(name))?.[1] ?? '2020-12'
}

/** The last error is the innermost: the place itself, and not what it is a part of. */
function problemOf({ valid, errors }: ReturnType<Validator['validate']>): string | null {
  if (valid) return null
  const { instanceLocation = '#', error = 'It is not allowed.' } = errors.at(-1) ?? {}
  return `${instanceLocation}: ${error}`
}

function problemOfSchema(schema: unknown): string | null {
  try {
    const text = JSON.stringify(schema) ?? ''
    if (text.length > mostSchemaCharacters) return `${text.length} characters, more than ${mostSchemaCharacters}`
    return problemOf(form.validate(schema)) ?? problemOfParts(dereference(JSON.parse(text) as Schema | boolean))
  } catch (error) {
    return messageOf(error)
  }
}

/** What the form of a schema does not show: whether its references lead somewhere, and its patterns are such. Nothing is fetched. */
function problemOfParts(parts: Readonly<Record<string, Schema | boolean>>): string | null {
  for (const part of Object.values(parts)) {
    if (typeof part === 'boolean') continue
    if (part.$ref !== undefined && parts[part[resolved] ?? ''] === undefined)
      return `a reference to ${part.$ref}, which is not in the schema itself`
    for (const pattern of [part.pattern ?? '', ...Object.keys(part.patternProperties ?? {})]) RegExp(pattern, 'u')
  }
  return null
}
