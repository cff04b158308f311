import { settleCrash, suspectAfterInterruptions } from '../../core/delivery/delivery.ts'
import { messageOf } from '../../core/errors.ts'
import type { Claim, ReleaseRequest, SettledAttempt } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import { Attempter } from './attempt.ts'
import type { Attempted } from './attempt.ts'
import type { Budget } from '../endpoints/budget.ts'
import { mostDepth } from '../endpoints/endpoints.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord, InFlight } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { Leases } from './leases.ts'
import { Marks } from './mark.ts'
import type { EngineParts } from '../parts.ts'
import type { Schedule } from '../claim/schedule.ts'
import type { Shares } from '../endpoints/shares.ts'
import { trustIn } from '../endpoints/trust.ts'
import { WindowQueue } from './window-queue.ts'

/** The other parts that attempts depend on. */
export interface AttemptsParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly health: HealthKeeper
  readonly leases: Leases
  readonly schedule: Schedule
  readonly shares: Shares
}

const quickMs = 250
// An endpoint this slow occupies places that others could use.
const slowMs = 1_000

/** All deliveries this process holds: waiting for their endpoint's window, on the wire, or waiting for their mark. */
export class Attempts {
  readonly #parts: AttemptsParts
  readonly #attempter: Attempter
  readonly #marks: Marks
  readonly #inFlight = new Map<string, InFlight>()
  readonly #queue: WindowQueue
  #abandoned = false

  constructor(parts: AttemptsParts) {
    this.#parts = parts
    this.#attempter = new Attempter(parts.engine)
    this.#marks = new Marks(parts.engine)
    this.#queue = new WindowQueue(parts, {
      send: (waited) => void this.#send(waited),
      giveBack: (waited) => void this.#giveBack(waited),
    })
  }

  get size(): number {
    return this.#inFlight.size
  }

  get(deliveryId: string): InFlight | undefined {
    return this.#inFlight.get(deliveryId)
  }

  /** Takes a place for a delivery. The caller must then begin it, or drop it if the lease could not be stored. */
  take(claim: Claim, record: EndpointRecord, leasedAt: Instant, probe: boolean): InFlight {
    const { delivery, message } = claim
    const isSuspect = this.#parts.engine.settings.limits.suspects && delivery.interruptions >= suspectAfterInterruptions
    const taken: InFlight = {
      claim,
      record,
      leasedAt,
      leaseEpoch: delivery.leaseEpoch,
      bytes: message.body.length,
      trust: trustIn(record, leasedAt),
      probe,
      isSuspect,
    }
    this.#parts.activity.begin()
    this.#parts.budget.take(taken)
    if (isSuspect) record.suspectsLeased += 1
    this.#inFlight.set(delivery.id, taken)
    return taken
  }

  drop(dropped: InFlight): void {
    const {
      claim: { delivery },
      record,
    } = dropped
    this.#inFlight.delete(delivery.id)
    this.#parts.leases.drop(delivery.id)
    this.#parts.budget.free(dropped)
    if (dropped.isSuspect) record.suspectsLeased -= 1
    this.#parts.schedule.freed(record)
    this.#parts.activity.end()
  }

  /** Continues with a delivery whose lease is stored: sends it now, or when the window allows. */
  begin(begun: InFlight): void {
    const { claim, record } = begun
    this.#parts.leases.hold({ deliveryId: claim.delivery.id, epoch: begun.leaseEpoch }, begun.leasedAt)
    if (claim.tookOver === 'crashed' && this.#parts.engine.settings.limits.suspects) void this.#afterCrash(begun)
    else if (begun.isSuspect && claim.lane !== 'suspects') void this.#becomesSuspect(begun)
    // The endpoint was paused or put on hold while the lease was being stored.
    else if (!begun.probe && this.#parts.endpoints.isClosed(record)) void this.#giveBack([begun])
    else if (this.#queue.hasPlace(record)) void this.#send(begun)
    else this.#queue.add(begun)
  }

  /** Continues an attempt under our own newer lease, because the older one expired in the store. */
  adopt(own: InFlight, leaseEpoch: number): void {
    own.leaseEpoch = leaseEpoch
    this.#parts.leases.hold({ deliveryId: own.claim.delivery.id, epoch: leaseEpoch }, this.#parts.engine.clock.now())
  }

  /** Gives back at once every delivery that is not on the wire yet. */
  async giveBackWaiting(): Promise<void> {
    await this.#giveBack(this.#queue.takeAll())
  }

  /** From now on, unfinished attempts are given back instead of marked. */
  abandon(): void {
    this.#abandoned = true
    this.#marks.abandon()
  }

  async #send(sent: InFlight): Promise<void> {
    const { record } = sent
    // Counted as open before the first await; otherwise the window could be exceeded.
    this.#opened(sent)
    const mayLeave = this.#mayLeave(sent) && (!sent.isSuspect || (await this.#writeAhead(sent)))
    const attempted = mayLeave ? await this.#attempter.attempt(sent.claim, record) : null
    this.#closed(sent)
    if (attempted === null) return this.#giveBack([sent])
    if (this.#abandoned && attempted.outcome.kind !== 'answered') {
      this.#parts.engine.meter?.interrupted()
      return this.#giveBack([sent], attempted)
    }

    this.#learn(sent, attempted)
    // Rows claimed ahead for a fast endpoint go back when it becomes slow.
    if (this.#parts.endpoints.isClosed(record) || isSlow(attempted)) void this.#giveBack(this.#queue.take(record))
    else this.#queue.sendNext(record)
    await this.#finish(sent, this.#attempter.settle(sent.claim, record, attempted, sent.leaseEpoch))
  }

  /** If the lease expired while this process was suspended, another worker may hold it. The secrets of a deleted endpoint are gone. */
  #mayLeave({ claim: { delivery }, record }: InFlight): boolean {
    return record.endpoint.status !== 'deleted' && this.#parts.leases.isLive(delivery.id)
  }

  /** A suspect may crash its worker, so its attempt is recorded before it starts. The write also proves that we hold the lease. */
  async #writeAhead({ claim: { delivery }, leaseEpoch, record }: InFlight): Promise<boolean> {
    const {
      queue,
      clock,
      bus,
      settings: { owner },
    } = this.#parts.engine
    try {
      const starts = [{ deliveryId: delivery.id, epoch: leaseEpoch, url: record.endpoint.url }]
      return (
        (await queue.start({ owner, now: clock.now(), starts })).length > 0 && this.#parts.leases.isLive(delivery.id)
      )
    } catch (error) {
      bus.warn(
        'store_error',
        `The attempt of ${delivery.id} could not be written ahead, and waits: ${messageOf(error)}`,
      )
      return false
    }
  }

  #opened(sent: InFlight): void {
    sent.record.onWire += 1
    this.#parts.budget.opened(sent)
  }

  #closed(sent: InFlight): void {
    sent.record.onWire -= 1
    this.#parts.budget.closed(sent)
  }

  #learn({ record, probe }: InFlight, attempted: Attempted): void {
    const { outcome, url, generation, startedAt, endedAt } = attempted
    this.#parts.health.learn(record, { outcome, generation, sameUrl: url === record.endpoint.url, probe })
    record.wasSlow = isSlow(attempted)
    if (record.wasSlow) record.depth = 1
    if (record.depth < mostDepth && endedAt - startedAt < quickMs) record.depth += 1
  }

  /** Keeps the lease, and the place, until the mark is stored. */
  async #finish(finished: InFlight, settled: SettledAttempt): Promise<void> {
    const marked = await this.#marks.store(settled)
    if (marked === 'lost' && finished.leaseEpoch !== settled.epoch)
      return this.#finish(finished, { ...settled, epoch: finished.leaseEpoch })
    this.drop(finished)
    if (marked === null) return
    this.#parts.engine.meter?.marked(finished.claim, settled, marked)
    this.#marks.emit(finished.claim, settled, marked)
  }

  /** The previous worker crashed while sending this delivery. After five crashes it is dead; until then it waits. */
  async #afterCrash(crashed: InFlight): Promise<void> {
    const { clock, random } = this.#parts.engine
    const { id: deliveryId, endpointId } = crashed.claim.delivery
    const next = settleCrash(crashed.claim.delivery, clock.now(), random)
    if ('status' in next)
      return this.#finish(crashed, { deliveryId, epoch: crashed.leaseEpoch, endpointId, mark: next, attempt: null })
    await this.#release([crashed], [{ deliveryId, epoch: crashed.leaseEpoch, nextRetryAt: next.nextRetryAt }])
    this.drop(crashed)
    // Nothing was sent: the next suspect need not wait for another tick.
    this.#parts.schedule.reconsider(crashed.record)
  }

  /** This takeover made it a suspect: it waits for its turn in that lane, and whatever is next need not wait for another tick. */
  async #becomesSuspect(begun: InFlight): Promise<void> {
    await this.#giveBack([begun])
    this.#parts.schedule.reconsider(begun.record)
  }

  async #giveBack(given: readonly InFlight[], attempted?: Attempted): Promise<void> {
    if (given.length === 0) return
    for (const { claim } of given) this.#parts.leases.drop(claim.delivery.id)
    const interrupted = (epoch: number) =>
      attempted === undefined ? undefined : { epoch, startedAt: attempted.startedAt, url: attempted.url }
    await this.#release(
      given,
      given.map(({ claim: { delivery }, leaseEpoch }) => ({
        deliveryId: delivery.id,
        epoch: leaseEpoch,
        interrupted: interrupted(delivery.leaseEpoch),
      })),
    )
    for (const inFlight of given) {
      this.#parts.schedule.givenBack(inFlight.record, inFlight.claim.lane)
      this.drop(inFlight)
    }
  }

  async #release(given: readonly InFlight[], leases: ReleaseRequest['leases']): Promise<void> {
    const {
      queue,
      clock,
      bus,
      settings: { owner },
    } = this.#parts.engine
    try {
      await queue.release({ owner, now: clock.now(), leases })
    } catch (error) {
      bus.warn('store_error', `${given.length} leases could not be given back and will run out: ${messageOf(error)}`)
    }
  }
}

function isSlow({ startedAt, endedAt }: Attempted): boolean {
  return endedAt - startedAt >= slowMs
}
