import { expected } from '../../core/errors.ts'
import type { SchemaChange } from '../../core/message/schema-change.ts'
import { checkOf, sentenceOf } from './json-schema.ts'

const mostVersionCharacters = 64

/** Refuses an invalid version before anything is read. */
export function checkChange({ version, schema }: SchemaChange): void {
  if (typeof version !== 'string' || version === '' || version.length > mostVersionCharacters)
    throw expected('invalid_argument', 'version', `text of 1 to ${mostVersionCharacters} characters`, version)
  if (schema === undefined)
    throw expected('invalid_argument', 'schema', 'a JSON Schema, or null to take the version away', schema)
  const problem = schema === null ? null : sentenceOf(checkOf(schema).schema)
  if (problem !== null) throw expected('invalid_argument', 'schema', 'a JSON Schema', problem)
}
