import type { Queue, TokenAsk } from '../../../core/ports/queue.ts'
import { second } from '../../../core/time.ts'
import { toGrant } from '../../shared/rows/rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { columns } from './columns.ts'

/** Takes tokens from all requested limits: one statement, one round trip. */
export function tokenTaker(database: PostgresDatabase, prepare: boolean): Queue['takeTokens'] {
  const statement = new Prepared(takeText(database.dialect), prepare)
  return async ({ now, asks }) => {
    if (asks.length === 0) return []
    const merged = mergedAsks(asks)
    const rows = await database.ask(statement, [
      now,
      merged.map(({ id }) => id),
      merged.map(({ perSecond }) => perSecond),
      merged.map(({ most }) => most),
    ])
    const left = new Map(rows.map(toGrant).map(({ id, granted }) => [id, granted]))
    return asks.map(({ id, most }) => {
      const granted = Math.min(left.get(id) ?? 0, most)
      left.set(id, (left.get(id) ?? 0) - granted)
      return granted
    })
  }
}

/**
 * Each limit once, because a statement can write a row only once; in id order, because two statements that lock rows in different orders
 * would deadlock.
 */
function mergedAsks(asks: readonly TokenAsk[]): TokenAsk[] {
  const merged = new Map<string, TokenAsk>()
  for (const ask of asks) merged.set(ask.id, { ...ask, most: ask.most + (merged.get(ask.id)?.most ?? 0) })
  return [...merged.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

/**
 * `takeTokens` of core, row by row: an insert that conflicts with a row sees its newest version, and locks it. The row to insert carries
 * the request: its tokens are the capacity minus the grant.
 */
function takeText({ table }: Dialect): string {
  const capacity = '(excluded.tokens + excluded.granted)'
  const refilled = `least(r.tokens + (greatest($1::bigint - r.at, 0)::double precision / ${second}) * ${capacity}, ${capacity})`
  const granted = `least(floor(${refilled}), excluded.granted)`
  return `insert into ${table('rate_limits')} as r (id, tokens, at, granted)
select id, capacity - least(floor(capacity), most), $1::bigint, least(floor(capacity), most)
from (
  select id, greatest(per_second, 1) as capacity, most
  from unnest(${columns('$2::text[]', '$3::double precision[]', '$4::integer[]')}) as asked (id, per_second, most)
) asked
on conflict (id) do update
set tokens = ${refilled} - ${granted}, granted = ${granted},
  at = case when $1::bigint > r.at - ${second} then greatest($1::bigint, r.at) else $1::bigint end
returning id, granted`
}

export function tokenReturner(database: PostgresDatabase, prepare: boolean): Queue['returnTokens'] {
  const statement = new Prepared(returnText(database.dialect), prepare)
  return async (tokens) => {
    if (tokens.length > 0) await database.ask(statement, [tokens.map(({ id }) => id), tokens.map(({ count }) => count)])
  }
}

/** A limit from which nothing was taken is full. */
function returnText({ table }: Dialect): string {
  const limits = table('rate_limits')
  return `with held as materialized (
  select id
  from ${limits}
  where id = any ($1::text[])
  order by id
  for update
)
update ${limits} r
set tokens = r.tokens + (select sum(g.count) from unnest($1::text[], $2::integer[]) as g (id, count) where g.id = r.id)
where r.id = any (array(select id from held))`
}
