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
  /** Says that an endpoint has due rows. */
  readonly expect: (endpointId: string, lane: Lane) => Promise<void>
}

const batchRows = 500
// Their bodies are read, for the filter: at worst a mebibyte each.
const batchMessages = 100
const leastPauseMs = 20
const restMs = minute

/** Does bulk work in batches. Each batch and its progress are one transaction, so that any worker can go on after a crash. */
export class Bulk {
  readonly #parts: BulkParts
  /** Jobs whose last batch failed, and until when they let others go first. */
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
    // So that another goes on at once; if it cannot be said, the turn runs out.
    if (this.#hasTurn) await this.#takeTurn(0).catch(() => undefined)
  }

  /** Says that there may be work, so that it need not wait for the tick. */
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
      // A pause as long as the batch: bulk work takes at most half of the store's time, and live traffic the rest.
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

  /** One batch of a job; false if there is none. */
  async #advance(): Promise<boolean> {
    const { clock, settings } = this.#parts.engine
    const job = await this.#nextJob()
    if (job === null || !(await this.#takeTurn(settings.leaseMs))) return false
    // Unless this comes to its end.
    this.#resting.set(job.id, clock.now() + restMs)
    if (job.work.action === 'replay') await this.#replay(job, job.work.filter)
    else await this.#advanceRows(job)
    this.#resting.delete(job.id)
    return true
  }

  /** The oldest; but one whose last batch failed lets the others go first for a while. */
  async #nextJob(): Promise<Job | null> {
    const { directory, clock } = this.#parts.engine
    const now = clock.now()
    for (const [id, until] of this.#resting) if (until <= now) this.#resting.delete(id)
    const oldest = await directory.runningJob('')
    for (let job = oldest; job !== null; job = await directory.runningJob(job.id))
      if (!this.#resting.has(job.id)) return job
    return oldest
  }

  /** Two workers at one job would do no harm, because each batch is fenced; they would only read twice. */
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

  /** What is disabled gets nothing new: the job waits until a person has enabled it. To what is gone it ends. */
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
