import { expected } from '../../../core/errors.ts'
import type { PosthornError } from '../../../core/errors.ts'
import type { Row } from '../sql/database.ts'

// Reads values out of rows, for the files that map rows: the databases return different types.

export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw unexpected(column, 'text', value)
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

/** One of the known words. */
export function word<Word extends string>(row: Row, column: string, known: readonly Word[]): Word {
  const found = known.find((one) => one === row[column])
  if (found !== undefined) return found
  throw unexpected(column, `one of ${known.join(', ')}`, row[column])
}

export function wordOrNull<Word extends string>(row: Row, column: string, known: readonly Word[]): Word | null {
  return row[column] === null ? null : word(row, column, known)
}

function unexpected(column: string, wanted: string, got: unknown): PosthornError {
  return expected(
    'store_failed',
    column,
    wanted,
    got,
    'Was the row changed by hand, or by a later release of Posthorn?',
  )
}

/** PostgreSQL returns bigints as text. */
export function number(row: Row, column: string): number {
  return Number(row[column])
}

export function numberOrNull(row: Row, column: string): number | null {
  const value = row[column]
  return value === null ? null : Number(value)
}

export function textList(row: Row, column: string): string[] {
  const list: string[] = JSON.parse(text(row, column))
  return list
}

export function textRecord(row: Row, column: string): Record<string, string> {
  const record: Record<string, string> = JSON.parse(text(row, column))
  return record
}

/** A body inserted by hand, in plain SQL, may be text. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  return value instanceof Uint8Array ? value : Buffer.from(text(row, column))
}
