import type { Instant } from '../time.ts'

/** A kind of event that endpoints can subscribe to, with a description, and JSON Schemas by version. */
export interface EventTypeDefinition {
  readonly name: string
  readonly description: string
  readonly schemas: Readonly<Record<string, unknown>> | null
  readonly archived: boolean
  readonly deprecated: boolean
  readonly featureFlag: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** The schema of the highest version: "10" comes after "9". */
export function newestSchema({ schemas }: Pick<EventTypeDefinition, 'schemas'>): unknown {
  const versions = Object.keys(schemas ?? {}).toSorted((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  const newest = versions.at(-1)
  return newest === undefined ? null : (schemas?.[newest] ?? null)
}
