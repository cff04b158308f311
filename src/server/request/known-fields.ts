import type { ZodType } from 'zod'

/** The names that a value can have: null if any is allowed. */
interface KnownFields {
  readonly names: ReadonlyMap<string, KnownFields | null>
  /** True for a list of such values. */
  readonly isList: boolean
}

const mostUnknown = 20
const known = new WeakMap<ZodType, { readonly fields: KnownFields | null }>()

/** The fields of a schema, read once. */
export function fieldsOf(schema: ZodType): KnownFields | null {
  const found = known.get(schema)
  if (found !== undefined) return found.fields
  const fields = read(schema)
  known.set(schema, { fields })
  return fields
}

/** A given field that nobody reads, with the known names at its place. */
export interface UnknownField {
  readonly path: readonly string[]
  readonly others: readonly string[]
}

/** The fields of a value that its schema does not know, up to a bound. */
export function unknownIn(fields: KnownFields | null, value: unknown, path: readonly string[] = []): UnknownField[] {
  if (fields === null || typeof value !== 'object' || value === null || fields.isList !== Array.isArray(value))
    return []
  return Array.isArray(value) ? unknownInList(fields, value, path) : unknownInObject(fields, value, path)
}

function unknownInList(fields: KnownFields, items: readonly unknown[], path: readonly string[]): UnknownField[] {
  const each = { ...fields, isList: false }
  return items.flatMap((item, index) => unknownIn(each, item, [...path, String(index)])).slice(0, mostUnknown)
}

function unknownInObject(fields: KnownFields, value: object, path: readonly string[]): UnknownField[] {
  const found: UnknownField[] = []
  for (const [name, inner] of Object.entries(value)) {
    if (found.length >= mostUnknown) break
    const next = fields.names.get(name)
    if (next === undefined) found.push({ path: [...path, name], others: [...fields.names.keys()] })
    else found.push(...unknownIn(next, inner, [...path, name]))
  }
  return found.slice(0, mostUnknown)
}

/** The inner structure of a schema, as far as it is needed here. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, ZodType>>
  readonly innerType?: ZodType
  readonly in?: ZodType
  readonly element?: ZodType
  readonly options?: readonly ZodType[]
}

function read(schema: ZodType): KnownFields | null {
  const { type, shape, innerType, in: input, element, options } = schema.def as Definition
  if (type === 'object' && shape !== undefined)
    return { names: new Map(Object.entries(shape).map(([name, inner]) => [name, read(inner)])), isList: false }
  if (type === 'array' && element !== undefined) return asList(read(element))
  if (type === 'union' && options !== undefined) return joined(options.map(read))
  const inner = innerType ?? (type === 'pipe' ? input : undefined)
  return inner === undefined ? null : read(inner)
}

function asList(fields: KnownFields | null): KnownFields | null {
  return fields === null ? null : { ...fields, isList: true }
}

/** For alternatives, the fields that any of them knows; the schema decides which one is meant. */
function joined(all: readonly (KnownFields | null)[]): KnownFields | null {
  const names = new Map<string, KnownFields | null>()
  for (const fields of all) {
    if (fields === null || fields.isList) return null
    for (const [name, inner] of fields.names) names.set(name, names.has(name) ? null : inner)
  }
  return { names, isList: false }
}
