import type { Lane } from '../core/delivery.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { messageOf } from '../core/errors.ts'
import { makeId } from '../core/ids.ts'
import type { Job, ReplayFilter } from '../core/job.ts'
import { collects, fanOut } from '../core/message.ts'
import type { Message } from '../core/message.ts'
import type { NewDelivery } from '../core/queue.ts'
import { minute } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import { tellEnded } from './bus.ts'
import type { EngineParts } from './parts.ts'

/** Does bulk work in bites. Each bite and its progress are one transaction, so that any worker can go on after a crash. */
export interface Bulk {
  start(): void
  stop(): Promise<void>
  /** Says that there may be work, so that it need not wait for the tick. */
  wake(): void
  readonly isBusy: boolean
}

const biteRows = 500
// Their bodies are read, for the filter: at worst a mebibyte each.
const biteMessages = 100
const leastPauseMs = 20
const restMs = minute

export function makeBulk(parts: EngineParts, expect: (endpointId: string, lane: Lane) => Promise<void>, quiet: () => void): Bulk {
  const { queue, directory, clock, random, bus, settings } = parts
  let running = false
  let woken = false
  let hasTurn = false
  const resting = new Map<string, Instant>()
  let biting: Promise<void> | null = null
  let disarm: (() => void) | null = null

  function wake(): void {
    woken = true
    if (!running || biting !== null) return
    disarm?.()
    disarm = null
    biting = bite()
  }

  async function bite(): Promise<void> {
    woken = false
    const startedAt = clock.now()
    let pauseMs = settings.pace.pollMs
    try {
      // A pause as long as the bite: bulk work takes at most half of the store's time, and live traffic the rest.
      if (await advance()) pauseMs = Math.max(clock.now() - startedAt, leastPauseMs)
    } catch (error) {
      bus.warn('store_error', `A bite of bulk work was not stored; it is tried again: ${messageOf(error)}`)
    }
    biting = null
    arm(woken ? Math.min(pauseMs, leastPauseMs) : pauseMs)
    quiet()
  }

  /** One bite of a job; false if there is none. */
  async function advance(): Promise<boolean> {
    const job = await nextJob()
    if (job === null || !(await takeTurn(settings.leaseMs))) return false
    // Unless this comes to its end.
    resting.set(job.id, clock.now() + restMs)
    if (job.work.action === 'replay') await replay(job, job.work.filter)
    else await advanceRows(job)
    resting.delete(job.id)
    return true
  }

  /** The oldest; but one whose last bite failed lets the others go first for a while. */
  async function nextJob(): Promise<Job | null> {
    const now = clock.now()
    for (const [id, until] of resting) if (until <= now) resting.delete(id)
    const oldest = await directory.runningJob('')
    for (let job = oldest; job !== null; job = await directory.runningJob(job.id)) if (!resting.has(job.id)) return job
    return oldest
  }

  /** Two workers at one job would do no harm, because each bite is fenced; they would only read twice. */
  async function takeTurn(leaseMs: number): Promise<boolean> {
    hasTurn = await queue.takeTurn({ name: 'bulk', owner: settings.owner, now: clock.now(), leaseMs })
    return hasTurn
  }

  async function advanceRows({ id }: Job): Promise<void> {
    const advanced = await directory.advanceJob(id, biteRows, clock.now())
    if (advanced === null) return
    tellEnded(bus, advanced.cancelled, 'cancelled')
    for (const endpointId of advanced.endpointIds) await expect(endpointId, 'retries')
  }

  async function replay(job: Job, { endpointId, since, until }: ReplayFilter): Promise<void> {
    const [endpoint] = await directory.endpointsById([endpointId])
    if (endpoint === undefined || !collects(endpoint)) return giveUp(job, endpoint)
    const filter = { applicationId: endpoint.applicationId, since, until }
    const { items, next } = await directory.listMessages(filter, { limit: biteMessages, after: job.cursor, order: 'ascending' })
    const deliveries: (NewDelivery & { messageId: string })[] = []
    for (const message of items) if (await isMissing(message, endpoint)) deliveries.push(newDelivery(message, endpoint))
    const advanced = await directory.advanceReplay({ jobId: job.id, from: job.cursor, deliveries, done: items.length, cursor: next }, clock.now())
    if (advanced !== null && deliveries.length > 0) await expect(endpointId, 'retries')
  }

  /** What is disabled gets nothing new: the job waits until a person has enabled it. To what is gone it ends. */
  async function giveUp(job: Job, endpoint: Endpoint | undefined): Promise<void> {
    const isGone = endpoint === undefined || endpoint.status === 'deleted'
    await directory.changeJob(job.id, 'running', isGone ? 'cancelled' : 'paused', clock.now())
    const advice = isGone ? 'It was cancelled.' : 'It is paused: enable the endpoint, then resume the job.'
    bus.warn('job_stopped', `Job ${job.id} replays to endpoint ${endpoint?.id ?? 'unknown'}, which is ${endpoint?.status ?? 'gone'}. ${advice}`)
  }

  async function isMissing(message: Message, endpoint: Endpoint): Promise<boolean> {
    if (fanOut(message, [endpoint]).length === 0) return false
    return (await directory.countDeliveries({ endpointId: endpoint.id, messageId: message.id }, 1)) === 0
  }

  function newDelivery({ id: messageId }: Message, { id: endpointId, url: targetUrl, policy }: Endpoint): NewDelivery & { messageId: string } {
    const now = clock.now()
    return { id: makeId('dlv', now, random), messageId, endpointId, targetUrl, policy, nextRetryAt: now, leased: false }
  }

  function arm(ms: number): void {
    if (!running) return
    disarm = clock.after(ms, () => {
      disarm = null
      biting = bite()
    })
  }

  return {
    wake,
    start() {
      running = true
      wake()
    },
    async stop() {
      running = false
      disarm?.()
      disarm = null
      await biting
      // So that another goes on at once; if it cannot be said, the turn runs out.
      if (hasTurn) await takeTurn(0).catch(() => undefined)
    },
    get isBusy() {
      return biting !== null
    },
  }
}
