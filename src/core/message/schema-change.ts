import { expected, PosthornError } from '../errors.ts'

export const mostSchemaVersions = 100

/** A change to one version of an event type's schemas. */
export interface SchemaChange {
  readonly version: string
  /** Null removes the version. */
  readonly schema: unknown
  /** The version as it was read, null if there was none; not compared if not given. */
  readonly was?: unknown
}

type Schemas = Readonly<Record<string, unknown>>

/** The schemas after one of them has changed; null if none are left. */
export function withSchema(schemas: Schemas, { version, schema, was }: SchemaChange): Schemas | null {
  const present = Object.hasOwn(schemas, version) ? schemas[version] : null
  if (was !== undefined && !isSame(present, was)) throw changedMeanwhile(version, present)
  const { [version]: _, ...others } = schemas
  const next = schema === null ? others : { ...others, [version]: schema }
  if (Object.keys(next).length > mostSchemaVersions)
    throw expected(
      'invalid_argument',
      'version',
      `one of at most ${mostSchemaVersions}`,
      version,
      'Take an old one away.',
    )
  return Object.keys(next).length === 0 ? null : next
}

/** Compares JSON values; the order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other
  const keys = Object.keys(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function changedMeanwhile(version: string, present: unknown): PosthornError {
  const got = present === null ? 'none of that version' : 'one that was changed since'
  return new PosthornError(
    'wrong_state',
    `Expected version ${version} of the schema to be as it was read, got ${got}. Read it again, and repeat your change on what is there now.`,
  )
}
