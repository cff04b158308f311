import { PosthornError } from '../../core/errors.ts'
import type { Instant } from '../../core/time.ts'
import { toMove, toTableProgress } from '../shared/rows/move-rows.ts'
import type { Cursor, Move, TableProgress } from '../shared/rows/move-rows.ts'
import type { Executor } from '../shared/sql/database.ts'
import { insertInto, sql, table } from '../shared/sql/sql.ts'
import type { Sql } from '../shared/sql/sql.ts'

// Two tables that exist only during a move, and are in no migration: `moved_to` keeps the source from being used again, `copy_progress`
// keeps the target from being used before it is complete. Otherwise both databases would send the same deliveries.

export const createMovedTo: Sql = sql`create table if not exists ${table('moved_to')} (
  id text primary key not null,
  target text not null,
  started_at bigint not null,
  finished_at bigint
)`

export const createProgress: Sql = sql`create table ${table('copy_progress')} (
  name text primary key not null,
  copy_id text not null,
  source text not null,
  cursor text,
  copied bigint not null
)`

/** Where a file was, or is being, copied to; null if nowhere. */
export async function moveOf(from: Pick<Executor, 'query'>): Promise<Move | null> {
  const found = await from.query(sql`select 1 from sqlite_master where name = 'posthorn_moved_to'`)
  if (found.length === 0) return null
  const [row] = await from.query(sql`select id, target, finished_at from ${table('moved_to')}`)
  return row === undefined ? null : toMove(row)
}

export function insertMove({ id, target }: Pick<Move, 'id' | 'target'>, now: Instant): Sql {
  return insertInto('moved_to', { id, target, started_at: now })
}

export function finishMove(id: string, now: Instant): Sql {
  return sql`update ${table('moved_to')} set finished_at = ${now} where id = ${id}`
}

/** Refuses a file whose deliveries are also in another database. */
export async function refuseMoved(from: Pick<Executor, 'query'>, path: string): Promise<void> {
  const move = await moveOf(from)
  if (move === null) return
  const state = move.finishedAt === null ? 'is being copied' : 'was copied'
  throw new PosthornError(
    'wrong_state',
    `Expected ${path} to be nobody else's, got a file that ${state} to ${move.target}: what is open in it would be sent twice. Use that database; or take this file back into use: posthorn copy --from sqlite:${path} --cancel.`,
  )
}

/** The progress of the copy into a schema, by table; null if there is none. */
export async function progressOf(
  from: Pick<Executor, 'query'>,
  schema: string,
): Promise<readonly TableProgress[] | null> {
  if (!(await isHalfCopied(from, schema))) return null
  const rows = await from.query(sql`select name, copy_id, source, cursor, copied from ${table('copy_progress')}`)
  return rows.map(toTableProgress)
}

export function insertProgress(progress: Omit<TableProgress, 'cursor' | 'copied'>): Sql {
  const { name, copyId, source } = progress
  return insertInto('copy_progress', { name, copy_id: copyId, source, cursor: null, copied: 0 })
}

/** Checks the previous batch, so that no batch is counted twice. */
export function advance({ name, copyId, copied }: TableProgress, cursor: Cursor, more: number): Sql {
  return sql`update ${table('copy_progress')}
set cursor = ${JSON.stringify(cursor)}, copied = ${copied + more}
where name = ${name} and copy_id = ${copyId} and copied = ${copied}`
}

/** Refuses a schema whose copy is not complete yet. */
export async function refuseHalfCopied(from: Pick<Executor, 'query'>, schema: string): Promise<void> {
  if (!(await isHalfCopied(from, schema))) return
  throw new PosthornError(
    'wrong_state',
    `Expected the schema "${schema}" to be whole, got one that is being copied into. Let \`posthorn copy\` end, or give the same command again if it was interrupted; or drop the schema.`,
  )
}

async function isHalfCopied(from: Pick<Executor, 'query'>, schema: string): Promise<boolean> {
  const found = await from.query(sql`select 1
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = ${schema} and c.relname = 'copy_progress'`)
  return found.length > 0
}
