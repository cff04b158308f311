import type { Status } from '../../../core/delivery/delivery.ts'
import type { Job } from '../../../core/delivery/job.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { AdvancedJob, JobDirectory, ReplayBatch } from '../../../core/ports/directory/jobs.ts'
import type { Cancelled, DeliveryFilter } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import type { Database, Executor } from '../sql/database.ts'
import { fromJob, toJob, toWalked } from '../rows/directory-rows.ts'
import { whereDelivery } from '../sql/filter.ts'
import { record } from '../audit.ts'
import type { Audited } from '../audit.ts'
import { cancelRows, discardRows, requeueRows } from './operations.ts'
import { eraseBatch } from '../upkeep/erase-application.ts'
import { beyond, pageOf } from '../sql/page.ts'
import { all, forUpdate, insertInto, joined, sql, table } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

type DeliveryJob = Job & { readonly work: { readonly action: 'requeue' | 'cancel' } }
type ErasureJob = Job & { readonly work: { readonly action: 'erase' } }

/** The effect of a batch on its rows. */
interface Changed {
  /** The endpoints of the requeued rows. */
  readonly requeued: readonly string[]
  readonly cancelled: readonly Cancelled[]
  readonly discarded: number
}

const noChange: Changed = { requeued: [], cancelled: [], discarded: 0 }
const jobs = table('jobs')
const deliveries = table('webhook_deliveries')
/** A batch reads at most this many rows, however few of them match. */
const mostWalked = 10_000
const rowsPerInsert = 500

/** Bulk work with its progress. Each batch is saved in one transaction with its progress, so a crash neither repeats nor skips rows. */
export function jobDirectory(database: Database): JobDirectory {
  return {
    createJob: (job, by) =>
      database.transaction(async (tx) => {
        await tx.run(insertInto('jobs', fromJob(job)))
        await record(tx, jobCreated(job, by))
        return job
      }),
    async job(id) {
      const [row] = await database.query(sql`select * from ${jobs} where id = ${id}`)
      return row === undefined ? null : toJob(row)
    },
    async listJobs({ applicationId }, page) {
      const conditions = applicationId === undefined ? [] : [sql`application_id = ${applicationId}`]
      return (await database.query(sql`select * from ${jobs} ${pageOf(page, 'descending', conditions)}`)).map(toJob)
    },
    async runningJob(after) {
      const [row] = await database.query(oldestRunning(after))
      return row === undefined ? null : toJob(row)
    },
    changeJob: ({ id, from, to, now, audited }) =>
      database.transaction(async (tx) => {
        const changed = await tx.run(
          sql`update ${jobs} set state = ${to}, updated_at = ${now} where id = ${id} and state = ${from}`,
        )
        if (changed === 0) return null
        const [row] = await tx.query(sql`select * from ${jobs} where id = ${id}`)
        const job = row === undefined ? null : toJob(row)
        if (audited !== undefined && job !== null)
          await record(tx, {
            ...audited,
            target: id,
            applicationId: job.applicationId,
            at: now,
            before: { state: from },
            after: { state: to },
          })
        return job
      }),
    advanceJob: (id, limit, now) => database.transaction((tx) => advance(tx, id, limit, now)),
    advanceReplay: (batch, now) => database.transaction((tx) => replay(tx, batch, now)),
  }
}

function jobCreated(job: Job, by: Actor = { name: job.actor, reason: job.reason ?? undefined }): Audited {
  const { id, applicationId, work, matching: count, createdAt: at } = job
  const action = work.action === 'erase' ? 'application.erase' : work.action
  return { action, target: JSON.stringify(work.filter), applicationId, count, at, by, after: { job: id } }
}

// A literal, because the partial index requires it.
export function oldestRunning(after: string): Sql {
  return sql`select *
from ${jobs}
where state = 'running' and id > ${after}
order by id
limit 1`
}

async function advance(tx: Executor, id: string, limit: number, now: Instant): Promise<AdvancedJob | null> {
  const job = await runningJob(tx, id)
  if (job === null) return null
  if (isErasure(job)) return erase(tx, job, limit, now)
  return isOfDeliveries(job) ? advanceRows(tx, job, limit, now) : null
}

async function advanceRows(tx: Executor, job: DeliveryJob, limit: number, now: Instant): Promise<AdvancedJob> {
  const walked = (await tx.query(walk(job, limit))).map(toWalked)
  const picked = walked.flatMap((row) => row.id ?? [])
  const { requeued, cancelled, discarded } = picked.length === 0 ? noChange : await changeRows(tx, job, picked, now)

  const [{ count, last } = { count: 0, last: null }] = walked
  const isFull = picked.length === limit
  const isOver = !isFull && count < mostWalked
  const changed = requeued.length + cancelled.length + discarded
  const next = await save(tx, job, {
    state: isOver ? 'done' : 'running',
    done: job.done + changed,
    skipped: job.skipped + picked.length - changed,
    cursor: (isFull ? picked.at(-1) : last) ?? job.cursor,
    updatedAt: now,
  })
  return { job: next, cancelled, endpointIds: [...new Set(requeued)] }
}

async function erase(tx: Executor, job: ErasureJob, limit: number, now: Instant): Promise<AdvancedJob> {
  const { messages, cancelled, isOver } = await eraseBatch(tx, job.work.filter.applicationId, limit, now)
  const progress = { done: job.done + messages, skipped: 0, cursor: null, updatedAt: now }
  const next = await save(tx, job, { ...progress, state: isOver ? 'done' : 'running' })
  return { job: next, cancelled, endpointIds: [] }
}

async function runningJob(tx: Executor, id: string): Promise<Job | null> {
  const [row] = await tx.query(sql`select * from ${jobs} where id = ${id} ${forUpdate}`)
  const job = row === undefined ? null : toJob(row)
  return job?.state === 'running' ? job : null
}

function isOfDeliveries(job: Job): job is DeliveryJob {
  return job.work.action === 'requeue' || job.work.action === 'cancel'
}

function isErasure(job: Job): job is ErasureJob {
  return job.work.action === 'erase'
}

/**
 * Up to `limit` matching rows in id order, each with the number of rows read and the id of the last one. The walk itself uses only
 * conditions that an index in id order supports; the others are applied to the rows it returns. So a batch reads a bounded number of rows,
 * and the whole job reads each row once.
 */
export function walk({ work, cursor }: Pick<DeliveryJob, 'work' | 'cursor'>, limit: number): Sql {
  const { applicationId, status, type, reason, unchangedSince, ...leading } = work.filter
  const wanted = wantedOf(work.action, status)
  const isOfDead = wanted.length === 1 && wanted[0] === 'dead'
  const rest = [whereDelivery({ status: wanted, type, reason, unchangedSince })]
  if (applicationId !== undefined) rest.push(sql`application_id = ${applicationId}`)
  return sql`with walked as materialized (
  select id, application_id, status, event_type, reason, updated_at
  from ${deliveries}
  where ${all([whereDelivery(isOfDead ? { ...leading, status: 'dead' } : leading), ...beyond(cursor, 'ascending')])}
  order by id
  limit ${mostWalked}
), picked as materialized (
  select id
  from walked
  where ${all(rest)}
  order by id
  limit ${limit}
)
select picked.id, (select count(*) from walked) as count, (select max(id) from walked) as last
from (select 1 as one) batch
left join picked on 1 = 1
order by picked.id`
}

function wantedOf(action: DeliveryJob['work']['action'], asked: DeliveryFilter['status']): Status[] {
  const possible: Status[] = ['pending', 'failed', 'dead']
  // Dead letters are discarded only on explicit request.
  const usual: Status[] = action === 'requeue' ? possible : ['pending', 'failed']
  return asked === undefined ? usual : possible.filter((status) => [asked].flat().includes(status))
}

/** By id alone: with more conditions, SQLite would search all open rows. */
async function changeRows(tx: Executor, { work }: DeliveryJob, ids: readonly string[], now: Instant): Promise<Changed> {
  const request = { filter: { ids }, now, limit: ids.length }
  if (work.action === 'requeue')
    return { ...noChange, requeued: (await requeueRows(tx, request)).map(({ endpointId }) => endpointId) }
  const cancelled = await cancelRows(tx, { ...request, as: 'cancelled' })
  const isDiscard = wantedOf(work.action, work.filter.status).includes('dead')
  return { ...noChange, cancelled, discarded: isDiscard ? await discardRows(tx, ids, now) : 0 }
}

/** Saves the progress that a batch made. */
async function save(
  tx: Executor,
  job: Job,
  change: Pick<Job, 'state' | 'done' | 'skipped' | 'cursor' | 'updatedAt'>,
): Promise<Job> {
  const { state, done, skipped, cursor, updatedAt } = change
  await tx.run(sql`update ${jobs}
set state = ${state}, done = ${done}, skipped = ${skipped}, cursor = ${cursor}, updated_at = ${updatedAt}
where id = ${job.id}`)
  return { ...job, ...change }
}

async function replay(
  tx: Executor,
  { jobId, from, deliveries: added, cursor }: ReplayBatch,
  now: Instant,
): Promise<Job | null> {
  const job = await runningJob(tx, jobId)
  if (job === null || job.cursor !== from) return null
  let made = 0
  for (let start = 0; start < added.length; start += rowsPerInsert)
    made += await tx.run(insertDeliveries(added.slice(start, start + rowsPerInsert), now))
  return save(tx, job, {
    state: cursor === null ? 'done' : 'running',
    done: job.done + made,
    skipped: job.skipped + added.length - made,
    cursor: cursor ?? job.cursor,
    updatedAt: now,
  })
}

/** New deliveries of old messages, in the retries lane; none if the message no longer exists. */
function insertDeliveries(added: ReplayBatch['deliveries'], now: Instant): Sql {
  const rows = added.map(({ id, endpointId, messageId, targetUrl, nextRetryAt, policy }) => {
    return sql`(cast(${id} as text), cast(${endpointId} as text), cast(${messageId} as text), cast(${targetUrl} as text), cast(${nextRetryAt} as bigint), cast(${policy} as text))`
  })
  return sql`with added (id, endpoint_id, message_id, target_url, next_retry_at, policy) as (
  values ${joined(rows, ',\n    ')}
)
insert into ${deliveries} (
  id, webhook_id, application_id, message_id, event_type, session_id, target_url, next_retry_at, policy, requeued_at, created_at, updated_at)
select a.id, a.endpoint_id, m.application_id, m.id, m.type, m.session_id, a.target_url, a.next_retry_at, a.policy,
  cast(${now} as bigint), cast(${now} as bigint), cast(${now} as bigint)
from added a
join ${table('messages')} m on m.id = a.message_id and m.erased_at is null`
}
