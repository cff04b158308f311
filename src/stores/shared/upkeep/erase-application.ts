import type { Job } from '../../../core/delivery/job.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { ErasureJob } from '../../../core/ports/directory/applications.ts'
import type { Cancelled } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { record } from '../audit.ts'
import { cancelRows } from '../directory/operations.ts'
import { fromJob, toJob } from '../rows/directory-rows.ts'
import { toApplication, toId } from '../rows/rows.ts'
import type { Executor } from '../sql/database.ts'
import { forUpdate, insertInto, listOf, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const applications = table('applications')
const deliveries = table('webhook_deliveries')
const endpoints = table('endpoints')
const erasures = table('erasures')
/** Their bodies are deleted with them: up to a mebibyte each. */
const mostMessages = 100
const mostDeliveries = 2_000

/** Deletes an application, hides all its data, and stores the job that erases it. */
export async function eraseApplication(tx: Executor, job: ErasureJob, by?: Actor): Promise<Job | null> {
  const { applicationId: id, createdAt: at } = job
  const [row] = await tx.query(sql`select * from ${applications} where id = ${id} ${forUpdate}`)
  const [underWay] = await tx.query(sql`select j.* from ${table('jobs')} j
join ${erasures} e on e.job_id = j.id
where e.application_id = ${id} and e.erased_at is null`)
  if (underWay !== undefined) return toJob(underWay)
  if (row === undefined && !(await isAnythingLeft(tx, id))) return null
  await tx.run(sql`delete from ${table('endpoint_secrets')}
where endpoint_id in (select e.id from ${endpoints} e where e.application_id = ${id})`)
  await tx.run(sql`update ${endpoints}
set status = 'deleted', status_since = ${at}, updated_at = ${at}, headers = '{}', authentication = null
where application_id = ${id} and status <> 'deleted'`)
  await tx.run(sql`delete from ${applications} where id = ${id}`)
  await tx.run(sql`${insertInto('erasures', { application_id: id, job_id: job.id, erased_at: null })}
on conflict (application_id) do update
set job_id = excluded.job_id, erased_at = null`)
  await tx.run(insertInto('jobs', fromJob(job)))
  const before = row === undefined ? null : toApplication(row)
  const action = before === null ? 'application.erase' : 'application.delete'
  if (by !== undefined) await record(tx, { action, target: id, applicationId: id, at, by, before })
  return job
}

/** A deletion by an earlier release, or by hand, may have left data behind. */
async function isAnythingLeft(tx: Executor, id: string): Promise<boolean> {
  const [row] = await tx.query(sql`select 1 as found from ${endpoints} where application_id = ${id}
union all
select 1 as found from ${table('messages')} where application_id = ${id}
limit 1`)
  return row !== undefined
}

/** The result of one batch. */
interface ErasedBatch {
  readonly messages: number
  readonly cancelled: readonly Cancelled[]
  readonly isOver: boolean
}

/**
 * One batch of an erasure: messages with their deliveries, oldest first; then deliveries without a message; then everything else. Erased
 * rows are not found again, so any worker can continue after a crash.
 */
export async function eraseBatch(tx: Executor, id: string, limit: number, now: Instant): Promise<ErasedBatch> {
  const messages = (await tx.query(messagesOf(id, Math.min(limit, mostMessages)))).map(toId)
  if (messages.length > 0) return eraseMessages(tx, messages, now)
  const left = (await tx.query(deliveriesOf(id))).map(toId)
  if (left.length > 0) return { messages: 0, cancelled: await endDeliveries(tx, left, now), isOver: false }
  const isOver = await eraseRest(tx, id, limit)
  if (isOver) await tx.run(sql`update ${erasures} set erased_at = ${now} where application_id = ${id}`)
  return { messages: 0, cancelled: [], isOver }
}

/**
 * A transaction that matched endpoints before the deletion may have stored a message after it. For a day, such messages stay hidden and are
 * erased too. Returns how many there were.
 */
export async function sweepErased(tx: Executor, now: Instant, limit: number): Promise<number> {
  const found = await tx.query(sql`select x.application_id as id
from ${erasures} x
where x.erased_at is not null and exists (select 1 from ${table('messages')} m where m.application_id = x.application_id)
limit 10`)
  let swept = 0
  for (const id of found.map(toId)) swept += (await eraseBatch(tx, id, limit, now)).messages
  if (found.length === 0) await tx.run(sql`delete from ${erasures} where erased_at < ${now - day}`)
  return swept
}

export function messagesOf(id: string, limit: number): Sql {
  return sql`select id from ${table('messages')} where application_id = ${id} order by id limit ${limit}`
}

export function deliveriesOf(id: string): Sql {
  return sql`select d.id
from ${deliveries} d
where d.webhook_id in (select e.id from ${endpoints} e where e.application_id = ${id})
order by d.id
limit ${mostDeliveries}
${forUpdate}`
}

/** A message stays until nothing refers to it: one for thousands of endpoints takes several batches. */
async function eraseMessages(tx: Executor, messageIds: readonly string[], now: Instant): Promise<ErasedBatch> {
  const ids = listOf(messageIds)
  const found = await tx.query(sql`select id from ${deliveries}
where message_id in ${ids}
order by id
limit ${mostDeliveries}
${forUpdate}`)
  const cancelled = await endDeliveries(tx, found.map(toId), now)
  if (found.length === mostDeliveries) return { messages: 0, cancelled, isOver: false }
  await tx.run(sql`delete from ${table('payload_expiries')} where message_id in ${ids}`)
  const messages = await tx.run(sql`delete from ${table('messages')} where id in ${ids}`)
  return { messages, cancelled, isOver: false }
}

/** Open deliveries end like those of a deleted endpoint; then they are deleted with their attempts. */
async function endDeliveries(tx: Executor, deliveryIds: readonly string[], now: Instant): Promise<Cancelled[]> {
  if (deliveryIds.length === 0) return []
  const request = { filter: { ids: deliveryIds }, as: 'gone', now, limit: deliveryIds.length } as const
  const cancelled = await cancelRows(tx, request)
  const ids = listOf(deliveryIds)
  await tx.run(sql`delete from ${table('attempts')} where delivery_id in ${ids}`)
  await tx.run(sql`delete from ${deliveries} where id in ${ids}`)
  return cancelled
}

/** True once nothing is left. */
async function eraseRest(tx: Executor, id: string, limit: number): Promise<boolean> {
  const own = sql`(select e.id from ${endpoints} e where e.application_id = ${id})`
  const many = [
    await tx.run(sql`delete from ${table('idempotency_keys')}
where application_id = ${id} and key in (
  select key from ${table('idempotency_keys')} where application_id = ${id} order by key limit ${limit})`),
    await tx.run(sql`delete from ${table('endpoint_minutes')}
where (minute, endpoint_id) in (
  select minute, endpoint_id from ${table('endpoint_minutes')} where endpoint_id in ${own} limit ${limit})`),
    await tx.run(sql`delete from ${table('replies')}
where key in (select key from ${table('replies')} where application_id = ${id} limit ${limit})`),
  ]
  if (many.some((count) => count >= limit)) return false
  for (const name of ['endpoint_secrets', 'endpoint_health'] as const)
    await tx.run(sql`delete from ${table(name)} where endpoint_id in ${own}`)
  await tx.run(sql`delete from ${table('rate_limits')} where id = ${id} or id in ${own}`)
  await tx.run(sql`delete from ${table('keys')} where application_id = ${id}`)
  // There are few at any time: they are read at once and deleted soon.
  await tx.run(sql`delete from ${table('events')} where data like ${`%"applicationId":${JSON.stringify(id)}%`}`)
  await tx.run(sql`delete from ${table('jobs')} where application_id = ${id} and action <> ${raw(`'erase'`)}`)
  await tx.run(sql`delete from ${endpoints} where application_id = ${id}`)
  return true
}
