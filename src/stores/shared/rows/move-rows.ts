import type { Instant } from '../../../core/time.ts'
import type { Row } from '../sql/database.ts'
import type { Value } from '../sql/sql.ts'
import { bytes, number, numberOrNull, text, textOrNull } from './columns.ts'

// Rows on their way from one database to another: as they are, except for what belongs to its database.

/** Where a file was, or is being, copied to. */
export interface Move {
  readonly id: string
  readonly target: string
  /** Null while it is under way. */
  readonly finishedAt: Instant | null
}

export function toMove(row: Row): Move {
  return { id: text(row, 'id'), target: text(row, 'target'), finishedAt: numberOrNull(row, 'finished_at') }
}

/** The last key that was copied of a table, and how many rows until then. */
export interface TableProgress {
  readonly name: string
  readonly copyId: string
  readonly source: string
  readonly cursor: Cursor | null
  readonly copied: number
}

export type Cursor = readonly Value[]

export function toTableProgress(row: Row): TableProgress {
  const cursor: Cursor | null = JSON.parse(textOrNull(row, 'cursor') ?? 'null')
  return {
    name: text(row, 'name'),
    copyId: text(row, 'copy_id'),
    source: text(row, 'source'),
    cursor,
    copied: number(row, 'copied'),
  }
}

export function toCount(row: Row | undefined): number {
  return row === undefined ? 0 : number(row, 'count')
}

/** A message as every database takes it: a body inserted by hand, in plain SQL, may be text. */
export function withBytes(row: Row): Row {
  return { ...row, body: bytes(row, 'body') }
}

export function keyOf(row: Row, columns: readonly string[]): Cursor {
  return columns.map((column) => valueOf(row, column))
}

/** A value of any column, as the driver hands it out. */
export function valueOf(row: Row, column: string): Value {
  const value = row[column]
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof Uint8Array) return value
  return text(row, column)
}

/** How many deliveries a snapshot has, and how many of them are still to be sent. */
export interface SnapshotCounts {
  readonly deliveries: number
  readonly open: number
  /** Under a lease when it was taken: they are sent again after a restore. */
  readonly inFlight: number
}

export function toSnapshotCounts(row: Row): SnapshotCounts {
  return { deliveries: number(row, 'deliveries'), open: number(row, 'open'), inFlight: number(row, 'in_flight') }
}
