import type { Queue } from '../../../core/ports/queue.ts'
import { takeTokens } from '../../../core/limits/rate-limit.ts'
import { toTokenBucket } from '../../shared/rows/rows.ts'
import type { Connection } from '../connection.ts'

const selectBucket = `select tokens, at
from posthorn_rate_limits
where id = ?1`

const upsertBucket = `insert into posthorn_rate_limits (id, tokens, at, granted)
values (?1, ?2, ?3, ?4)
on conflict (id) do update
set tokens = excluded.tokens, at = excluded.at, granted = excluded.granted`

const addTokens = `update posthorn_rate_limits
set tokens = tokens + ?2
where id = ?1`

/** Takes tokens in the order asked; runs inside the transaction of the turn. */
export function take(connection: Connection, { now, asks }: Parameters<Queue['takeTokens']>[0]): number[] {
  return asks.map(({ id, perSecond, most }) => {
    const { taken, bucket } = takeTokens(toTokenBucket(connection.prepare(selectBucket).get(id)), perSecond, most, now)
    connection.prepare(upsertBucket).run(id, bucket.tokens, bucket.at, taken)
    return taken
  })
}

export function giveBack(connection: Connection, tokens: Parameters<Queue['returnTokens']>[0]): void {
  for (const { id, count } of tokens) connection.prepare(addTokens).run(id, count)
}
