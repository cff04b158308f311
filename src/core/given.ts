/** A type without `undefined` in any of its fields. */
type Given<Fields> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
}

/** Only the fields that were given: in a change, as in a call, `undefined` means "not given". */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  // A loop, because every message passes through here: building a list of entries took a microsecond.
  const kept: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept as Given<Fields>
}
