/** The types of a parameter. Booleans are 0 or 1, the only form that both databases accept. */
export type Value = string | number | null | Uint8Array

/** A part of a statement: text, parameters and names, in order, not yet rendered for a database. */
export interface Sql {
  readonly parts: readonly Part[]
}

type Part = string | { readonly value: Value } | { readonly table: TableName } | { readonly keyword: DialectKeyword }

export type TableName =
  | 'alarms'
  | 'applications'
  | 'attempts'
  | 'audit'
  | 'copy_progress'
  | 'endpoint_health'
  | 'endpoint_minutes'
  | 'endpoint_secrets'
  | 'endpoints'
  | 'erasures'
  | 'event_types'
  | 'events'
  | 'idempotency_keys'
  | 'leases'
  | 'jobs'
  | 'keys'
  | 'messages'
  | 'migrations'
  | 'moved_to'
  | 'payload_expiries'
  | 'rate_limits'
  | 'replies'
  | 'webhook_deliveries'
  | 'workers'

/** The differences in how the databases write a statement. */
export interface Dialect {
  placeholder(position: number): string
  table(name: TableName): string
  readonly keywords: Readonly<Record<DialectKeyword, string>>
}

/** `binary` is the type for bytes; `id` the type for ids, which sort bytewise; `forUpdate` ends a select whose rows are updated next. */
type DialectKeyword = 'binary' | 'id' | 'forUpdate'

interface Rendered {
  readonly text: string
  readonly values: readonly Value[]
}

/** Builds a statement: values become parameters, nested parts are spliced in. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (Value | Sql)[]): Sql {
  const parts: Part[] = []
  for (const [index, text] of texts.entries()) {
    parts.push(text)
    const next = inserted[index]
    if (next === undefined) continue
    if (isSql(next)) parts.push(...next.parts)
    else parts.push({ value: next })
  }
  return { parts }
}

/** Renders the statement for a database. */
export function render(statement: Sql, dialect: Dialect): Rendered {
  let text = ''
  const values: Value[] = []
  for (const part of statement.parts) {
    if (typeof part === 'string') text += part
    else if ('value' in part) text += dialect.placeholder(values.push(part.value))
    else text += 'table' in part ? dialect.table(part.table) : dialect.keywords[part.keyword]
  }
  return { text, values }
}

export function table(name: TableName): Sql {
  return { parts: [{ table: name }] }
}

/** Literal SQL text. Never use it for user input. */
export function raw(text: string): Sql {
  return { parts: [text] }
}

export const nothing: Sql = { parts: [] }
export const binaryType: Sql = { parts: [{ keyword: 'binary' }] }
export const idType: Sql = { parts: [{ keyword: 'id' }] }
export const forUpdate: Sql = { parts: [{ keyword: 'forUpdate' }] }

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return { parts: pieces.flatMap((piece, index) => (index === 0 ? piece.parts : [separator, ...piece.parts])) }
}

/** All conditions combined with `and`; true if there are none. */
export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('1 = 1') : joined(conditions, '\n  and ')
}

/** `(a, b, c)`, padded to a power of two by repeating the last value, so that a few statement texts cover every length. */
export function listOf(values: readonly Value[]): Sql {
  return sql`(${joined(
    filledUp(values).map((value) => sql`${value}`),
    ', ',
  )})`
}

/** Inserts one row, given as columns and values. */
export function insertInto(name: TableName, row: Readonly<Record<string, Value>>): Sql {
  const values = Object.values(row).map((value) => sql`${value}`)
  return sql`insert into ${table(name)} (${raw(Object.keys(row).join(', '))})\nvalues (${joined(values, ', ')})`
}

/** `a = 1, b = 2`, for an update. */
export function assignments(row: Readonly<Record<string, Value>>): Sql {
  return joined(
    Object.entries(row).map(([column, value]) => sql`${raw(column)} = ${value}`),
    ', ',
  )
}

function isSql(inserted: Value | Sql): inserted is Sql {
  return typeof inserted === 'object' && inserted !== null && 'parts' in inserted
}

function filledUp<Item>(items: readonly Item[]): Item[] {
  const last = items.at(-1)
  if (last === undefined) return []
  const length = 2 ** Math.ceil(Math.log2(items.length))
  return [...items, ...Array.from({ length: length - items.length }, () => last)]
}
