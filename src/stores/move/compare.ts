import { PosthornError } from '../../core/errors.ts'
import { keyOf, valueOf, withBytes } from '../shared/rows/move-rows.ts'
import { openedRow } from '../shared/rows/sealed-columns.ts'
import type { Row } from '../shared/sql/database.ts'
import type { CopyTarget } from './postgres-target.ts'
import type { CopySource } from './sqlite-source.ts'
import { copiedTables } from './tables.ts'
import type { CopiedTable } from './tables.ts'

const sampledPerTable = 500
const sampledAtOnce = 50

/** Compares the row counts of each table, and all columns of some rows; refuses any difference. Returns how many rows were compared. */
export async function compare(source: CopySource, target: CopyTarget): Promise<number> {
  let compared = 0
  for (const table of copiedTables) {
    const [wanted, got] = [source.count(table.name), await target.count(table.name)]
    if (wanted !== got)
      throw differs(`Expected ${wanted} rows of ${table.name} in the target, as in the source, got ${got}.`)
    for (const rows of inChunks(source.sample(table.name, sampledPerTable))) {
      compared += await compareRows(source, target, table, rows)
    }
  }
  return compared
}

async function compareRows(
  source: CopySource,
  target: CopyTarget,
  table: CopiedTable,
  rows: readonly Row[],
): Promise<number> {
  const keys = rows.map((row) => keyOf(row, table.key))
  const found = await target.rowsByKey(table, keys)
  const byKey = new Map(found.map((row) => [nameOf(row, table), row]))
  for (const row of rows) {
    const name = nameOf(row, table)
    const other = byKey.get(name)
    const column =
      other === undefined ? 'its key' : differingColumn(opened(source, table, row), opened(target, table, other))
    if (column !== null)
      throw differs(`Expected row ${name} of ${table.name} to be the same in both, and ${column} is not.`)
  }
  return rows.length
}

/** A row in a form that means the same in both databases. */
function opened({ vault }: Pick<CopySource, 'vault'>, { name }: CopiedTable, row: Row): Row {
  const open = openedRow(name, vault, row)
  return name === 'messages' ? withBytes(open) : open
}

function differingColumn(row: Row, other: Row): string | null {
  return Object.keys(row).find((column) => shown(row, column) !== shown(other, column)) ?? null
}

function nameOf(row: Row, { key }: CopiedTable): string {
  return key.map((column) => shown(row, column)).join(' ')
}

/** PostgreSQL returns bigints as text. */
function shown(row: Row, column: string): string {
  const value = valueOf(row, column)
  if (value === null) return 'null'
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
}

function* inChunks(rows: Iterable<Row>): Iterable<Row[]> {
  let chunk: Row[] = []
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length < sampledAtOnce) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

function differs(sentence: string): PosthornError {
  return new PosthornError(
    'store_failed',
    `${sentence} Was one of them written to meanwhile? Drop the schema of the target, and copy again.`,
  )
}
