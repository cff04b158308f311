import { firstIdAt } from '../../../core/ids.ts'
import type { Pruned, PrunePlace, PruneRequest } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { toWalked } from '../rows/directory-rows.ts'
import { toId } from '../rows/rows.ts'
import type { Executor } from '../sql/database.ts'
import { forUpdate, listOf, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { sweepErased } from './erase-application.ts'
import { eraseBodies } from './erase-message.ts'

const deliveries = table('webhook_deliveries')
const messages = table('messages')
const minutesKeptMs = 35 * day
/** Keys and jobs that are over can be looked up for so long. */
const endedKeptMs = 30 * day
/** So many rows one walk reads at most: what is kept for longer lies between what is to be forgotten. */
const mostWalked = 5_000
const theStart: PrunePlace = { delivered: '', dead: '', messages: '' }

/**
 * Up to `limit` of each kind that there may be many of. An id begins with its time of creation: nothing younger is read, and
 * the next batch goes on behind what this one has read. Messages come last: they stay as long as a delivery is left of them.
 */
export async function prune(tx: Executor, request: PruneRequest): Promise<Pruned> {
  const { before, deadBefore, auditBefore, now, limit } = request
  const from = request.from ?? theStart
  const delivered = await walkDeliveries(tx, { status: 'delivered', before, after: from.delivered, limit })
  const dead = await walkDeliveries(tx, { status: 'dead', before: deadBefore, after: from.dead, limit })
  const isReady = delivered.isOver && dead.isOver
  const unread = { count: 0, place: from.messages, isOver: false }
  const old = isReady ? await walkMessages(tx, before, from.messages, limit) : unread
  const expired = [
    await forgetKeys(tx, now, limit),
    await forgetMinutes(tx, before - minutesKeptMs, limit),
    await forgetReplies(tx, now, limit),
    await forgetAudit(tx, auditBefore, limit),
    await erasePayloads(tx, now, limit),
    await sweepErased(tx, now, limit),
  ]
  await forgetEnded(tx, before, now - endedKeptMs)
  const count = [delivered.count, dead.count, old.count, ...expired].reduce((sum, many) => sum + many, 0)
  const isOver = old.isOver && expired.every((many) => many < limit)
  return { count, next: isOver ? null : { delivered: delivered.place, dead: dead.place, messages: old.place } }
}

/** What a walk forgot, and behind which id the next one begins. */
interface Walk {
  readonly count: number
  readonly place: string
  readonly isOver: boolean
}

interface DeliveryWalk {
  readonly status: 'delivered' | 'dead'
  readonly before: Instant
  readonly after: string
  readonly limit: number
}

async function walkDeliveries(tx: Executor, walk: DeliveryWalk): Promise<Walk> {
  const { before, limit } = walk
  const rows = (await tx.query(closedBefore(walk))).map(toWalked)
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length > 0) await forgetDeliveries(tx, ids, before)
  return { count: ids.length, ...placeAfter(rows, limit, firstIdAt('dlv', before)) }
}

/** The next rows by age, and which of them ended before the time. Dead letters have an index of their own. */
export function closedBefore({ status, before, after, limit }: DeliveryWalk): Sql {
  return walked({
    rows: sql`select id, status, updated_at
  from ${deliveries}
  where id > ${after} and id < ${firstIdAt('dlv', before)}${status === 'dead' ? raw(` and status = 'dead'`) : raw('')}`,
    wanted: sql`status = ${status} and updated_at < ${before}`,
    limit,
  })
}

async function walkMessages(tx: Executor, before: Instant, after: string, limit: number): Promise<Walk> {
  const rows = (await tx.query(messagesBefore(before, after, limit))).map(toWalked)
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length > 0)
    await tx.run(sql`delete from ${messages}
where id in ${listOf(ids)} and not exists (select 1 from ${deliveries} d where d.message_id = ${messages}.id)`)
  return { count: ids.length, ...placeAfter(rows, limit, firstIdAt('msg', before)) }
}

export function messagesBefore(before: Instant, after: string, limit: number): Sql {
  return walked({
    rows: sql`select id, created_at
  from ${messages}
  where id > ${after} and id < ${firstIdAt('msg', before)}`,
    // One by one through the index: `not exists` would let PostgreSQL read all deliveries to compare them at once.
    wanted: sql`created_at < ${before} and (select d.message_id from ${deliveries} d where d.message_id = walked.id limit 1) is null`,
    limit,
  })
}

/** Each row that is wanted, with how many were read, and the last of those. */
function walked({ rows, wanted, limit }: { readonly rows: Sql; readonly wanted: Sql; readonly limit: number }): Sql {
  return sql`with walked as materialized (
  ${rows}
  order by id
  limit ${mostWalked}
), picked as materialized (
  select id
  from walked
  where ${wanted}
  order by id
  limit ${limit}
)
select picked.id, (select count(*) from walked) as count, (select max(id) from walked) as last
from (select 1 as one) batch
left join picked on 1 = 1
order by picked.id`
}

function placeAfter(rows: readonly ReturnType<typeof toWalked>[], limit: number, end: string): Omit<Walk, 'count'> {
  const [{ count, last } = { count: 0, last: null }] = rows
  const lastPicked = rows.length === limit ? (rows.at(-1)?.id ?? null) : null
  if (lastPicked !== null) return { place: lastPicked, isOver: false }
  return count < mostWalked ? { place: end, isOver: true } : { place: last ?? end, isOver: false }
}

/** Dead letters may have been requeued a moment ago. */
async function forgetDeliveries(tx: Executor, ids: readonly string[], before: Instant): Promise<void> {
  const closed = await tx.query(sql`select id from ${deliveries}
where id in ${listOf(ids)} and status in ('delivered', 'dead') and updated_at < ${before}
order by id
${forUpdate}`)
  if (closed.length === 0) return
  const list = listOf(closed.map(toId))
  await tx.run(sql`delete from ${table('attempts')} where delivery_id in ${list}`)
  await tx.run(sql`delete from ${deliveries} where id in ${list}`)
}

function forgetKeys(tx: Executor, now: Instant, limit: number): Promise<number> {
  return tx.run(sql`with picked as materialized (
  select application_id, key from ${table('idempotency_keys')}
  where expires_at <= ${now}
  limit ${limit}
  ${forUpdate}
)
delete from ${table('idempotency_keys')}
where (application_id, key) in (select application_id, key from picked)`)
}

function forgetMinutes(tx: Executor, before: Instant, limit: number): Promise<number> {
  return tx.run(sql`delete from ${table('endpoint_minutes')}
where (minute, endpoint_id) in (
  select minute, endpoint_id from ${table('endpoint_minutes')}
  where minute < ${before}
  limit ${limit})`)
}

function forgetReplies(tx: Executor, now: Instant, limit: number): Promise<number> {
  return tx.run(sql`with picked as materialized (
  select key from ${table('replies')}
  where expires_at <= ${now}
  limit ${limit}
  ${forUpdate}
)
delete from ${table('replies')}
where key in (select key from picked)`)
}

function forgetAudit(tx: Executor, before: Instant, limit: number): Promise<number> {
  return tx.run(sql`delete from ${table('audit')}
where id in (
  select id from ${table('audit')}
  where id < ${firstIdAt('aud', before)}
  order by id
  limit ${limit})`)
}

/** Bodies whose time is over; not those of which something is still on its way. */
async function erasePayloads(tx: Executor, now: Instant, limit: number): Promise<number> {
  const due = await tx.query(sql`select p.message_id as id from ${table('payload_expiries')} p
where p.erase_at <= ${now}
  and not exists (select 1 from ${deliveries} d where d.message_id = p.message_id and d.status in ('pending', 'failed'))
order by p.erase_at
limit ${limit}`)
  if (due.length === 0) return 0
  await eraseBodies(tx, due.map(toId), now)
  return due.length
}

/** What there are few of. */
async function forgetEnded(tx: Executor, before: Instant, longOver: Instant): Promise<void> {
  await tx.run(sql`delete from ${table('endpoint_secrets')} where expires_at < ${before}`)
  await tx.run(sql`delete from ${table('keys')} where expires_at < ${longOver} or revoked_at < ${longOver}`)
  await tx.run(
    sql`delete from ${table('jobs')} where id < ${firstIdAt('job', longOver)} and state in ('done', 'cancelled') and updated_at < ${longOver}`,
  )
  // A bucket that was not used for so long is full, as a new one is.
  await tx.run(sql`delete from ${table('rate_limits')} where at < ${longOver}`)
}
