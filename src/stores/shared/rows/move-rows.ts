import type { Instant } from '../../../core/time.ts'
import type { Row } from '../sql/database.ts'
import type { Value } from '../sql/sql.ts'
import { bytes, number, numberOrNull, text, textOrNull } from './columns.ts'

// Rows being copied from one database to another, unchanged except for what is specific to a database.

/** Where a file was copied to, or is being copied to. */
export interface Move {
  readonly id: string
  readonly target: string
  /** Null while it is in progress. */
  readonly finishedAt: Instant | null
}

export function toMove(row: Row): Move {
  return { id: text(row, 'id'), target: text(row, 'target'), finishedAt: numberOrNull(row, 'finished_at') }
}

/** The last key copied from a table, and the number of rows up to it. */
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

/** A message in the form that every database accepts: a body inserted by hand, in plain SQL, may be text. */
export function withBytes(row: Row): Row {
  return { ...row, body: bytes(row, 'body') }
}

export function keyOf(row: Row, columns: readonly string[]): Cursor {
  return columns.map((column) => valueOf(row, column))
}

/** A value of any column, as the driver returns it. */
export function valueOf(row: Row, column: string): Value {
  const value = row[column]
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof Uint8Array) return value
  return text(row, column)
}

/** How many deliveries a snapshot contains, and how many of them are still to be sent. */
export interface SnapshotCounts {
  readonly deliveries: number
  readonly open: number
  /** Leased when the snapshot was taken: they are sent again after a restore. */
  readonly inFlight: number
}

export function toSnapshotCounts(row: Row): SnapshotCounts {
  return { deliveries: number(row, 'deliveries'), open: number(row, 'open'), inFlight: number(row, 'in_flight') }
}
