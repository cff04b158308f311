import type { Lane } from '../../core/delivery/delivery.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { messageOf } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import type { Job, ReplayFilter } from '../../core/delivery/job.ts'
import { collects, fanOut } from '../../core/endpoint/subscribers.ts'
import type { Message } from '../../core/message/message.ts'
import type { NewDelivery } from '../../core/ports/queue.ts'
import { minute } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import { emitEnded } from '../bus.ts'
import type { EngineParts } from '../parts.ts'

export interface BulkParts {
  readonly engine: EngineParts
  readonly activity: Activity
  /** An endpoint has due rows. */
  readonly expect: (endpointId: string, lane: Lane) => Promise<void>
}

const batchRows = 500
// The filter reads their bodies: up to one mebibyte each.
const batchMessages = 100
const leastPauseMs = 20
const restMs = minute

/** Runs bulk jobs in batches. Each batch commits together with its progress, so that any worker can continue after a crash. */
export class Bulk {
  readonly #parts: BulkParts
  /** Jobs whose last batch failed, and until when other jobs go first. */
  readonly #resting = new Map<string, Instant>()
  #running = false
  #woken = false
  #hasTurn = false
  #working: Promise<void> | null = null
  #disarm: (() => void) | null = null

  constructor(parts: BulkParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = true
    this.wake()
  }

  async stop(): Promise<void> {
    this.#running = false
    this.#disarm?.()
    this.#disarm = null
    await this.#working
    // Lets another worker continue at once. If this fails, the turn expires.
    if (this.#hasTurn) await this.#takeTurn(0).catch(() => undefined)
  }

  /** There may be work: it need not wait for the tick. */
  wake(): void {
    this.#woken = true
    if (!this.#running || this.#working !== null) return
    this.#disarm?.()
    this.#disarm = null
    this.#begin()
  }

  #begin(): void {
    this.#working = this.#parts.activity.during(() => this.#batch())
  }

  async #batch(): Promise<void> {
    const { clock, bus, settings } = this.#parts.engine
    this.#woken = false
    const startedAt = clock.now()
    let pauseMs = settings.limits.pollMs
    try {
      // Pauses for as long as the batch took: bulk work uses at most half of the store's time, and live traffic gets the rest.
      if (await this.#advance()) pauseMs = Math.max(clock.now() - startedAt, leastPauseMs)
    } catch (error) {
      bus.warn('store_error', `A batch of bulk work was not stored; it is tried again: ${messageOf(error)}`)
    }
    this.#working = null
    this.#arm(this.#woken ? Math.min(pauseMs, leastPauseMs) : pauseMs)
  }

  #arm(ms: number): void {
    if (!this.#running) return
    this.#disarm = this.#parts.engine.clock.after(ms, () => {
      this.#disarm = null
      this.#begin()
    })
  }

  /** Runs one batch of a job; false if there is no job. */
  async #advance(): Promise<boolean> {
    const { clock, settings } = this.#parts.engine
    const job = await this.#nextJob()
    if (job === null || !(await this.#takeTurn(settings.leaseMs))) return false
    // Removed below if the batch succeeds.
    this.#resting.set(job.id, clock.now() + restMs)
    if (job.work.action === 'replay') await this.#replay(job, job.work.filter)
    else await this.#advanceRows(job)
    this.#resting.delete(job.id)
    return true
  }

  /** The oldest job. After a failed batch, a job lets the others go first for a while. */
  async #nextJob(): Promise<Job | null> {
    const { directory, clock } = this.#parts.engine
    const now = clock.now()
    for (const [id, until] of this.#resting) if (until <= now) this.#resting.delete(id)
    const oldest = await directory.runningJob('')
    for (let job = oldest; job !== null; job = await directory.runningJob(job.id))
      if (!this.#resting.has(job.id)) return job
    return oldest
  }

  /** Two workers on one job would do no harm, because each batch is fenced. They would only read everything twice. */
  async #takeTurn(leaseMs: number): Promise<boolean> {
    const {
      queue,
      clock,
      settings: { owner },
    } = this.#parts.engine
    this.#hasTurn = await queue.takeTurn({ name: 'bulk', owner, now: clock.now(), leaseMs })
    return this.#hasTurn
  }

  async #advanceRows({ id }: Job): Promise<void> {
    const { directory, clock, bus } = this.#parts.engine
    const advanced = await directory.advanceJob(id, batchRows, clock.now())
    if (advanced === null) return
    emitEnded(bus, advanced.cancelled, advanced.job.work.action === 'erase' ? 'gone' : 'cancelled')
    for (const endpointId of advanced.endpointIds) await this.#parts.expect(endpointId, 'retries')
  }

  async #replay(job: Job, { endpointId, since, until }: ReplayFilter): Promise<void> {
    const { directory, clock } = this.#parts.engine
    const [endpoint] = await directory.endpointsById([endpointId])
    if (endpoint === undefined || !collects(endpoint)) return this.#stopReplay(job, endpoint)
    const filter = { applicationId: endpoint.applicationId, since, until, missingAt: endpointId }
    const { items, next } = await directory.listMessages(filter, {
      limit: batchMessages,
      after: job.cursor,
      order: 'ascending',
    })
    const deliveries = items
      .filter((message) => fanOut(message, [endpoint]).length > 0)
      .map((message) => this.#newDelivery(message, endpoint))
    const advanced = await directory.advanceReplay(
      { jobId: job.id, from: job.cursor, deliveries, cursor: next },
      clock.now(),
    )
    if (advanced !== null && deliveries.length > 0) await this.#parts.expect(endpointId, 'retries')
  }

  /** A disabled endpoint gets nothing new: the job is paused, to be resumed once somebody has enabled it. A deleted endpoint cancels the job. */
  async #stopReplay(job: Job, endpoint: Endpoint | undefined): Promise<void> {
    const { directory, clock, bus } = this.#parts.engine
    const isGone = endpoint === undefined || endpoint.status === 'deleted'
    const to = isGone ? 'cancelled' : 'paused'
    await directory.changeJob({ id: job.id, from: 'running', to, now: clock.now() })
    const advice = isGone ? 'It was cancelled.' : 'It is paused: enable the endpoint, then resume the job.'
    bus.warn(
      'job_stopped',
      `Job ${job.id} replays to endpoint ${endpoint?.id ?? 'unknown'}, which is ${endpoint?.status ?? 'gone'}. ${advice}`,
    )
  }

  #newDelivery(
    { id: messageId }: Message,
    { id: endpointId, url: targetUrl, policy }: Endpoint,
  ): NewDelivery & { messageId: string } {
    const { clock, random } = this.#parts.engine
    const now = clock.now()
    return { id: makeId('dlv', now, random), messageId, endpointId, targetUrl, policy, nextRetryAt: now, leased: false }
  }
}
