/** What is left of a type once nothing in it is `undefined`. */
type Given<Fields> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
}

/** Those of the fields that were given: `undefined` means "not given" in a change, as it does in a call. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  // A loop, because every message comes by here: a list of entries on the way took a microsecond.
  const kept: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept as Given<Fields>
}
