import type { Vault } from '../secrets.ts'
import type { Row } from '../sql/database.ts'
import type { TableName, Value } from '../sql/sql.ts'

/** A column whose values are sealed, each bound to its endpoint and to what it is of it. */
export interface SealedColumn {
  readonly table: TableName
  readonly column: string
  /** The column with the endpoint's id. */
  readonly endpoint: string
  /** The column with the id of the secret, where an endpoint has several; null where the column's own name says what it is. */
  readonly secret: string | null
  /** What stands there if there is nothing to seal. */
  readonly blank: string | null
}

/** Every column that is sealed. What stands there in clear, as earlier releases stored it, is read as well; `posthorn secrets rotate` seals it. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'endpoint_secrets', column: 'sealed', endpoint: 'endpoint_id', secret: 'id', blank: null },
  { table: 'endpoints', column: 'headers', endpoint: 'id', secret: null, blank: '{}' },
  { table: 'endpoints', column: 'authentication', endpoint: 'id', secret: null, blank: null },
]

/** A row of a table with its sealed columns opened. */
export function openedRow(table: TableName, vault: Vault, row: Row): Row {
  return { ...row, ...columnsOf(table, (sealed) => openedValue(vault, sealed, row)) }
}

/** A row of a table as it is stored. */
export function sealedRow<Given extends Row>(table: TableName, vault: Vault, row: Given): Given {
  return { ...row, ...columnsOf(table, (sealed) => sealedValue(vault, sealed, row)) }
}

/** A row of `endpoints` with nothing in its sealed columns. */
export function blankRow(row: Row): Row {
  return { ...row, ...columnsOf('endpoints', ({ blank }) => blank) }
}

/** What to store of a row of `endpoints` so that some of its sealed columns stay as they are. */
export function withoutSealed(
  row: Readonly<Record<string, Value>>,
  stays: (name: 'headers' | 'authentication') => boolean,
): Record<string, Value> {
  const { headers, authentication, ...rest } = row
  return {
    ...rest,
    ...(stays('headers') || headers === undefined ? {} : { headers }),
    ...(stays('authentication') || authentication === undefined ? {} : { authentication }),
  }
}

function columnsOf(
  table: TableName,
  value: (sealed: SealedColumn) => string | null,
): Readonly<Record<string, string | null>> {
  const columns = sealedColumns.filter((sealed) => sealed.table === table)
  return Object.fromEntries(columns.map((sealed) => [sealed.column, value(sealed)]))
}

function openedValue(vault: Vault, sealed: SealedColumn, row: Row): string | null {
  const value = valueOf(sealed, row)
  return value === null || value === sealed.blank ? value : vault.open(...placeOf(sealed, row), value)
}

function sealedValue(vault: Vault, sealed: SealedColumn, row: Row): string | null {
  const value = valueOf(sealed, row)
  return value === null || value === sealed.blank ? value : vault.seal(...placeOf(sealed, row), value)
}

/** The same value, sealed with the newest key. */
export function resealedValue(vault: Vault, sealed: SealedColumn, row: Row): string {
  const place = placeOf(sealed, row)
  return vault.seal(...place, vault.open(...place, valueOf(sealed, row) ?? ''))
}

export function valueOf({ column }: SealedColumn, row: Row): string | null {
  const value = row[column]
  return typeof value === 'string' ? value : null
}

/** The column by which rows are told apart, and walked through in order. */
export function keyColumn({ endpoint, secret }: SealedColumn): string {
  return secret ?? endpoint
}

/** Where a value belongs: it opens nowhere else. */
function placeOf({ endpoint, secret, column }: SealedColumn, row: Row): [endpointId: string, secretId: string] {
  return [String(row[endpoint]), secret === null ? column : String(row[secret])]
}
