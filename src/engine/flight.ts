import { deadAfterCrashes, settleCrashed, suspectAfterCrashes } from '../core/delivery.ts'
import { messageOf } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { SettledAttempt } from '../core/queue.ts'
import { makeCourier, unsent } from './deliver.ts'
import type { Parcel } from './deliver.ts'
import { makeHeartbeat } from './heartbeat.ts'
import type { EngineParts } from './parts.ts'
import type { Room } from './room.ts'
import { mostDepth } from './targets.ts'
import type { Target, Targets } from './targets.ts'
import { makeWriter } from './writer.ts'

/** Everything this process holds, from lease to mark: what waits for the wire, what is on it, what waits for its mark. */
export interface Flight {
  /** Counts a parcel in; it must then be boarded, or dropped if its lease came to nothing. */
  take(parcel: Parcel): void
  drop(parcel: Parcel): void
  /** Sends a parcel whose lease is stored: at once, or when its endpoint's window has room. */
  board(parcel: Parcel): void
  get(deliveryId: string): Parcel | undefined
  /** Goes on with a parcel under a newer lease of our own, because the older one ran out in the store. */
  adopt(parcel: Parcel, epoch: number): void
  /** Gives back at once what is not on the wire yet. */
  giveBackWaiting(): Promise<void>
  /** From now on, what is under way is given back instead of marked. */
  abandon(): void
  readonly size: number
}

export interface FlightHooks {
  /** Room was freed at an endpoint, or rows went back to it. */
  readonly freed: (target: Target) => void
}

const mostWaitMs = 1_000
const sweepMs = 250
const quickMs = 250

export function makeFlight(parts: EngineParts, targets: Targets, room: Room, hooks: FlightHooks): Flight {
  const { clock, bus, settings, queue } = parts
  const parcels = new Map<string, Parcel>()
  const crowded = new Set<Target>()
  const suspects: Parcel[] = []
  const courier = makeCourier(parts)
  const writer = makeWriter({ queue, clock, owner: settings.owner, leaseMs: settings.leaseMs, warn: (text) => bus.warn('store_error', text) })
  const heartbeat = makeHeartbeat({ clock, leaseMs: settings.leaseMs, renew: writer.renew, lost: leaseLost })
  let suspectInAir: Parcel | null = null
  let abandoned = false
  let disarmSweep: (() => void) | null = null

  function take(parcel: Parcel): void {
    room.take(parcel.target, parcel.claim.message.body.length, parcel.unproven)
    parcels.set(parcel.claim.delivery.id, parcel)
  }

  function drop(parcel: Parcel): void {
    const { id } = parcel.claim.delivery
    parcels.delete(id)
    heartbeat.drop(id)
    room.free(parcel)
    if (parcel === suspectInAir) nextSuspect()
    hooks.freed(parcel.target)
  }

  function board(parcel: Parcel): void {
    const { target, claim } = parcel
    heartbeat.hold({ deliveryId: claim.delivery.id, epoch: parcel.epoch }, parcel.leasedAt)
    if (claim.delivery.crashCount >= deadAfterCrashes) return void finish(parcel, unsent(parcel, settleCrashed(claim.delivery)))
    if (isSuspect(parcel)) {
      suspects.push(parcel)
      if (suspectInAir === null) nextSuspect()
    } else if (target.onWire < room.window(target)) {
      void fly(parcel)
    } else {
      target.waiting.push(parcel)
      crowded.add(target)
      armSweep()
    }
  }

  /** Suspects go one at a time: if one of them ends the process, it is known which. */
  function nextSuspect(): void {
    suspectInAir = suspects.shift() ?? null
    if (suspectInAir === null) return
    if (targets.isClosed(suspectInAir.target)) void giveBack([suspectInAir])
    else void fly(suspectInAir)
  }

  async function fly(parcel: Parcel): Promise<void> {
    const { target } = parcel
    target.onWire += 1
    const attempted = await courier.attempt(parcel)
    target.onWire -= 1
    if (abandoned) return giveBack([parcel])

    targets.learn(target, attempted.outcome, parcel.probe)
    if (target.depth < mostDepth && attempted.endedAt - attempted.startedAt < quickMs) target.depth += 1
    if (targets.isClosed(target)) void giveBack(takeWaiting(target))
    else startWaiting(target)
    await finish(parcel, courier.settled(parcel, attempted))
  }

  function startWaiting(target: Target): void {
    while (target.onWire < room.window(target)) {
      const next = target.waiting.shift()
      if (next === undefined) break
      void fly(next)
    }
    if (target.waiting.length === 0) crowded.delete(target)
  }

  /** The heartbeat goes on until the mark is stored; only then is there room again. */
  async function finish(parcel: Parcel, settled: SettledAttempt): Promise<void> {
    const marked = await writer.mark(settled)
    if (marked === 'lost' && parcel.epoch !== settled.epoch) return finish(parcel, { ...settled, epoch: parcel.epoch })
    drop(parcel)
    if (marked !== null) courier.tell(parcel, settled, marked)
  }

  function leaseLost(deliveryId: string, code: 'lost' | 'renewal_failed', storeCode: ErrorCode | null): void {
    // The attempt goes on: its mark will say whose state stands (LH-flow3).
    bus.tell({ type: 'lease.lost', webhook_delivery_id: deliveryId, worker_id: settings.owner, code, store_code: storeCode })
  }

  function takeWaiting(target: Target, leasedBefore = Number.POSITIVE_INFINITY): Parcel[] {
    const count = target.waiting.findIndex(({ leasedAt }) => leasedAt >= leasedBefore)
    const taken = target.waiting.splice(0, count === -1 ? target.waiting.length : count)
    if (target.waiting.length === 0) crowded.delete(target)
    return taken
  }

  function armSweep(): void {
    disarmSweep ??= clock.after(sweepMs, sweep)
  }

  /** What could not start within a second is given back, so that another worker or a better moment may have it. */
  function sweep(): void {
    disarmSweep = null
    const leasedBefore = clock.now() - mostWaitMs
    for (const target of crowded) {
      const late = takeWaiting(target, leasedBefore)
      if (late.length > 0) target.depth = 1
      void giveBack(late)
    }
    if (crowded.size > 0) armSweep()
  }

  async function giveBack(given: readonly Parcel[]): Promise<void> {
    if (given.length === 0) return
    for (const { claim } of given) heartbeat.drop(claim.delivery.id)
    try {
      await writer.release(given.map(({ claim, epoch }) => ({ deliveryId: claim.delivery.id, epoch })))
    } catch (error) {
      bus.warn('store_error', `${given.length} leases could not be given back and will run out: ${messageOf(error)}`)
    }
    for (const parcel of given) {
      const { lane } = parcel.claim
      parcel.target.backlog[lane] = true
      if (lane === 'retries') parcel.target.retriesLeft += 1
      drop(parcel)
    }
  }

  return {
    take,
    drop,
    board,
    get: (deliveryId) => parcels.get(deliveryId),
    adopt(parcel, epoch) {
      parcel.epoch = epoch
      heartbeat.hold({ deliveryId: parcel.claim.delivery.id, epoch }, clock.now())
    },
    async giveBackWaiting() {
      disarmSweep?.()
      disarmSweep = null
      await giveBack([...suspects.splice(0), ...[...crowded].flatMap((target) => takeWaiting(target))])
    },
    abandon() {
      abandoned = true
      writer.abandon()
    },
    get size() {
      return parcels.size
    },
  }
}

function isSuspect(parcel: Parcel): boolean {
  return parcel.claim.delivery.crashCount >= suspectAfterCrashes
}
