import type { Status } from '../core/delivery/delivery.ts'
import type { Endpoint } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { checkId, makeId } from '../core/ids.ts'
import { refusedChange } from '../core/delivery/job.ts'
import type { Job, JobWork, ReplayFilter } from '../core/delivery/job.ts'
import { collects, fanOut } from '../core/endpoint/subscribers.ts'
import type { Message } from '../core/message/message.ts'
import type { Directory } from '../core/ports/directory.ts'
import type { Page, Scan } from '../core/ports/directory/page.ts'
import type { DeliveryFilter } from '../core/ports/queue.ts'
import type { Instant } from '../core/time.ts'
import { applicationIdOf } from './applications.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { onlyStatus } from './delivery/filter.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

/** Bulk work, stored with its progress: a worker does it in batches, and any other continues after a crash. */
export interface Jobs {
  /** How many deliveries the work would affect now; for a replay, how many it would create. */
  preview(work: BulkWork): Promise<number>
  create(work: BulkWork, by?: By): Promise<Job>
  get(id: string): Promise<Job>
  /** Newest first. */
  list(filter?: { readonly application?: string | undefined }, page?: Partial<Page>): Promise<Job[]>
  pause(id: string, by?: By): Promise<Job>
  resume(id: string, by?: By): Promise<Job>
  cancel(id: string, by?: By): Promise<Job>
}

/** The actions that people can request; an application is erased by deleting it. */
type BulkWork = Exclude<JobWork, { readonly action: 'erase' }>

interface JobParts extends ResourceParts {
  /** Announces work, so that it need not wait for the tick. */
  readonly wake: () => void
}

const mostMatching = 10_000_000
// Their bodies are read for the filter: at worst a mebibyte each.
const messagesPerPage = 100
const open: readonly Status[] = ['pending', 'failed']
const actionTo = { running: 'job.resume', paused: 'job.pause', cancelled: 'job.cancel' } as const

export function makeJobs(parts: JobParts): Jobs {
  const { ready, directory, clock, wake } = parts
  return {
    get: (id) => jobWithId(parts, id),
    async preview(work) {
      const checked = checkWork(work, clock.now())
      await ready()
      return countMatching(directory, checked)
    },
    create: (work, by = {}) => createJob(parts, work, by),
    async list({ application } = {}, page = {}) {
      await ready()
      const applicationId = application === undefined ? undefined : await applicationIdOf(parts, application)
      return directory.listJobs({ applicationId }, checkPage(page))
    },
    pause: (id, by = {}) => changeState(parts, id, 'paused', by),
    async resume(id, by = {}) {
      const job = await changeState(parts, id, 'running', by)
      wake()
      return job
    },
    cancel: (id, by = {}) => changeState(parts, id, 'cancelled', by),
  }
}

async function jobWithId({ ready, directory }: JobParts, id: string): Promise<Job> {
  checkId('job', id)
  await ready()
  const job = await directory.job(id)
  if (job !== null) return job
  throw expected('not_found', 'job', 'the id of a job that exists', id)
}

async function createJob({ ready, directory, clock, random, wake }: JobParts, work: BulkWork, by: By): Promise<Job> {
  const now = clock.now()
  const checked = checkWork(work, now)
  await ready()
  await checkReceiver(directory, checked)
  const applicationId = await applicationOf(directory, checked)
  const { name, reason = null } = actor(by)
  const matching = await countMatching(directory, checked)
  const started = { id: makeId('job', now, random), applicationId, work: checked, matching, actor: name, reason }
  const job = await directory.createJob(
    { ...started, state: 'running', done: 0, skipped: 0, cursor: null, createdAt: now, updatedAt: now },
    actor(by),
  )
  wake()
  return job
}

async function changeState(parts: JobParts, id: string, to: 'running' | 'paused' | 'cancelled', by: By): Promise<Job> {
  const { directory, clock } = parts
  const job = await jobWithId(parts, id)
  const refusal = refusedChange(job, to)
  const changed =
    refusal === null
      ? await directory.changeJob({
          id,
          from: job.state,
          to,
          now: clock.now(),
          audited: { action: actionTo[to], by: actor(by) },
        })
      : null
  if (changed !== null) return changed
  throw expected('wrong_state', 'job', `one that can be ${to} now`, `${id}, and ${refusal ?? 'it has just changed'}`)
}

async function countMatching(directory: Directory, work: BulkWork): Promise<number> {
  if (work.action !== 'replay') return directory.countDeliveries(work.filter, mostMatching)
  return countMissing(directory, await endpointWithId(directory, work.filter.endpointId), work.filter)
}

/** Exactly as many as a replay would send: like the replay, it has to match each message. */
async function countMissing(directory: Directory, endpoint: Endpoint, { since, until }: ReplayFilter): Promise<number> {
  const filter = { applicationId: endpoint.applicationId, since, until, missingAt: endpoint.id }
  let missing = 0
  let after: string | null = null
  do {
    const page: Page = { limit: messagesPerPage, after, order: 'ascending' }
    const { items, next }: Scan<Message> = await directory.listMessages(filter, page)
    missing += items.filter((message) => fanOut(message, [endpoint]).length > 0).length
    after = next
  } while (after !== null && missing < mostMatching)
  return missing
}

/** A replay to a disabled endpoint would stop at once. */
async function checkReceiver(directory: Directory, { action, filter }: BulkWork): Promise<void> {
  const endpoint = action === 'replay' ? await endpointWithId(directory, filter.endpointId) : null
  if (endpoint === null || collects(endpoint)) return
  throw expected(
    'invalid_argument',
    'endpointId',
    'an endpoint that gets messages',
    `${endpoint.id}, which is ${endpoint.status}`,
    'Enable it first.',
  )
}

/** Set if the work concerns one application only: the application's own keys can then see the job. */
async function applicationOf(directory: Directory, { filter }: BulkWork): Promise<string | null> {
  if ('applicationId' in filter && filter.applicationId !== undefined) return filter.applicationId
  return filter.endpointId === undefined ? null : (await endpointWithId(directory, filter.endpointId)).applicationId
}

async function endpointWithId(directory: Directory, endpointId: string): Promise<Endpoint> {
  const endpoint = await directory.endpoint(null, endpointId)
  if (endpoint !== null) return endpoint
  throw expected('not_found', 'endpoint', 'the id of an endpoint that exists', endpointId)
}

function checkWork(work: BulkWork, now: Instant): BulkWork {
  switch (work.action) {
    case 'requeue':
      return {
        action: 'requeue',
        filter: unchanged(onlyStatus(work.filter, ['dead'], ['dead', 'failed'], 'requeue'), now),
      }
    case 'cancel':
      return { action: 'cancel', filter: asOf(onlyStatus(work.filter, open, [...open, 'dead'], 'cancel'), now) }
    case 'replay':
      return { action: 'replay', filter: checkReplay(work.filter, now) }
  }
  throw expected('invalid_argument', 'action', '"requeue", "cancel" or "replay"', (work as { action: unknown }).action)
}

/** Deliveries that die or fail again while the job runs are left alone. */
function unchanged(filter: DeliveryFilter, now: Instant): DeliveryFilter {
  return { ...asOf(filter, now), unchangedSince: Math.min(filter.unchangedSince ?? now + 1, now + 1) }
}

/** Only what existed when the job was requested, so that it does what was counted. */
function asOf(filter: DeliveryFilter, now: Instant): DeliveryFilter {
  return { ...filter, until: Math.min(filter.until ?? now + 1, now + 1) }
}

/** Only what existed when the job was requested, as with all bulk work. */
function checkReplay({ endpointId, since, until }: ReplayFilter, now: Instant): ReplayFilter {
  checkId('ep', endpointId, 'endpointId')
  if (Number.isSafeInteger(since) && Number.isSafeInteger(until) && since <= until)
    return { endpointId, since, until: Math.min(until, now + 1) }
  throw expected('invalid_argument', 'since', 'a time before `until`', `${since} and ${until}`)
}
