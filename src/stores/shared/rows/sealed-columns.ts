import type { Vault } from '../secrets.ts'
import type { Row } from '../sql/database.ts'
import type { TableName, Value } from '../sql/sql.ts'

/** A column with sealed values, each bound to its endpoint and to its role there. */
export interface SealedColumn {
  readonly table: TableName
  readonly column: string
  /** The column with the endpoint's id. */
  readonly endpoint: string
  /** The column with the id of the secret if an endpoint has several; null if the column's own name identifies the value. */
  readonly secret: string | null
  /** The value that means there is nothing to seal. */
  readonly blank: string | null
}

/** All sealed columns. Plaintext values, as earlier releases stored them, can still be read; `posthorn secrets rotate` seals them. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'endpoint_secrets', column: 'sealed', endpoint: 'endpoint_id', secret: 'id', blank: null },
  { table: 'endpoints', column: 'headers', endpoint: 'id', secret: null, blank: '{}' },
  { table: 'endpoints', column: 'authentication', endpoint: 'id', secret: null, blank: null },
]

/** A row of a table with its sealed columns opened. */
export function openedRow(table: TableName, vault: Vault, row: Row): Row {
  return { ...row, ...columnsOf(table, (sealed) => openedValue(vault, sealed, row)) }
}

/** A row of a table with its sealed columns sealed, as stored. */
export function sealedRow<Given extends Row>(table: TableName, vault: Vault, row: Given): Given {
  return { ...row, ...columnsOf(table, (sealed) => sealedValue(vault, sealed, row)) }
}

/** A row of `endpoints` with blank sealed columns. */
export function blankRow(row: Row): Row {
  return { ...row, ...columnsOf('endpoints', ({ blank }) => blank) }
}

/** A row of `endpoints` without the sealed columns that must stay unchanged. */
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

/** The column that identifies rows, and gives the order to walk them in. */
export function keyColumn({ endpoint, secret }: SealedColumn): string {
  return secret ?? endpoint
}

/** The place a value is bound to: it cannot be opened anywhere else. */
function placeOf({ endpoint, secret, column }: SealedColumn, row: Row): [endpointId: string, secretId: string] {
  return [String(row[endpoint]), secret === null ? column : String(row[secret])]
}
