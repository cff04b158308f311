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
/** How long expired keys and finished jobs can still be looked up. */
const endedKeptMs = 30 * day
/** One walk reads at most this many rows, because rows with a longer retention lie between those to delete. */
const mostWalked = 5_000
const theStart: PrunePlace = { delivered: '', dead: '', messages: '' }

/**
 * Up to `limit` of each kind that can be numerous. Ids start with their creation time: newer rows are not read, and the next batch
 * continues after the last row read. Messages come last: they stay as long as they have a delivery.
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

/** How many rows a walk deleted, and the id after which the next one starts. */
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

/** The next rows by age, marking those that ended before the given time. Dead letters have their own index. */
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
    // One by one through the index: with `not exists`, PostgreSQL would read all deliveries to compare them at once.
    wanted: sql`created_at < ${before} and (select d.message_id from ${deliveries} d where d.message_id = walked.id limit 1) is null`,
    limit,
  })
}

/** Each wanted row, with the number of rows read and the id of the last one. */
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

/** Checks the status again: dead letters may have been requeued a moment ago. */
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

/** Bodies that have expired, except those with open deliveries. */
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

/** The kinds with few rows. */
async function forgetEnded(tx: Executor, before: Instant, longOver: Instant): Promise<void> {
  await tx.run(sql`delete from ${table('endpoint_secrets')} where expires_at < ${before}`)
  await tx.run(sql`delete from ${table('keys')} where expires_at < ${longOver} or revoked_at < ${longOver}`)
  await tx.run(
    sql`delete from ${table('jobs')} where id < ${firstIdAt('job', longOver)} and state in ('done', 'cancelled') and updated_at < ${longOver}`,
  )
  // A bucket unused for this long is full, just like a new one.
  await tx.run(sql`delete from ${table('rate_limits')} where at < ${longOver}`)
}
