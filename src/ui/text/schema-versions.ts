type Schemas = Readonly<Record<string, unknown>> | null

/** The versions of a schema, oldest first, as the server orders them: "10" comes after "9". */
export function versionsOf(schemas: Schemas): string[] {
  return Object.keys(schemas ?? {}).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}

/** The version that payloads are checked against; undefined if there is none. */
export function newestSchema(schemas: Schemas): unknown {
  const newest = versionsOf(schemas).at(-1)
  return newest === undefined ? undefined : schemas?.[newest]
}

/** The name of the next version: one more than the highest number. */
export function nextVersion(schemas: Schemas): string {
  const numbers = versionsOf(schemas).map((version) => Number.parseInt(version.replace(/^\D+/, ''), 10))
  return String(Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1)
}
