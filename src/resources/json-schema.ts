import { Validator } from '@cfworker/json-schema'
import { expected, messageOf } from '../core/errors.ts'

const drafts = { 'draft-04': '4', 'draft-07': '7', '2019-09': '2019-09', '2020-12': '2020-12' } as const
const mostVersions = 100
const mostSchemaCharacters = 256 * 1024

/** Checks a value; answers with what is wrong and where, or null. */
export type Validate = (value: unknown) => string | null

/** Makes a check of a JSON Schema. */
export function validatorOf(schema: unknown): Validate {
  // A copy: the validator writes into what it is given.
  const validator = new Validator(structuredClone(schema) as boolean, draftOf(schema))
  return (value) => {
    const { valid, errors } = validator.validate(value)
    if (valid) return null
    // The last error is the innermost: the place itself, and not what it is a part of.
    const { instanceLocation = '#', error = 'does not match' } = errors.at(-1) ?? {}
    return `${instanceLocation}: ${error}`
  }
}

/** Refuses what is no table of JSON Schemas by version, before it could refuse every message. */
export function checkSchemas(schemas: unknown): void {
  if (typeof schemas !== 'object' || schemas === null || Array.isArray(schemas) || Object.keys(schemas).length > mostVersions) {
    throw expected('invalid_argument', 'schemas', `an object of at most ${mostVersions} JSON Schemas by version`, schemas)
  }
  for (const [version, schema] of Object.entries(schemas)) checkSchema(`schemas.${version}`, schema)
}

function checkSchema(name: string, schema: unknown): void {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    throw expected('invalid_argument', name, 'a JSON Schema: an object, true or false', schema)
  }
  const length = JSON.stringify(schema).length
  if (length > mostSchemaCharacters) throw expected('invalid_argument', name, `at most ${mostSchemaCharacters} characters of JSON`, length)
  try {
    validatorOf(schema)(null)
  } catch (cause) {
    throw expected('invalid_argument', name, 'a JSON Schema', messageOf(cause))
  }
}

function draftOf(schema: unknown): (typeof drafts)[keyof typeof drafts] {
  const named = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : ''
  return Object.entries(drafts).find(([name]) => named.includes(name))?.[1] ?? '2020-12'
}
