import type { Lane } from '../core/delivery.ts'
import { messageOf } from '../core/errors.ts'
import { isProbing, probeHold } from '../core/pace.ts'
import type { Claim, Queue, Want } from '../core/queue.ts'
import type { Instant } from '../core/time.ts'
import { tellEnded } from './bus.ts'
import type { Flight } from './flight.ts'
import { makeFloors } from './floors.ts'
import type { EngineParts } from './parts.ts'
import type { Parcel } from './deliver.ts'
import { isUnproven } from './room.ts'
import type { Room } from './room.ts'
import type { Target, Targets } from './targets.ts'

/** The loop: who has due rows, how many may leave, claim them, hand them over. It never waits for a send. */
export interface Dispatcher {
  start(): void
  /** No claim begins after this; resolves when none is under way. */
  stop(): Promise<void>
  /** The fast path: takes room for a delivery that is about to be stored under our lease; null if it must queue. */
  offer(target: Target, claim: Claim, now: Instant): Parcel | null
  /** Says that an endpoint has due rows in a lane, and looks at once. */
  expect(target: Target, lane: Lane): void
  /** Looks for fresh rows between ticks, a slice of the endpoints at a time. */
  probe(): Promise<void>
  /** Says that an endpoint has room again. */
  freed(target: Target): void
  readonly isBusy: boolean
}

type DueEndpoint = Awaited<ReturnType<Queue['dueEndpoints']>>[number]

interface Plan {
  readonly wants: Want[]
  readonly probes: ReadonlySet<string>
  /** Sends taken from the rate limit, to be given back if they find no row. */
  readonly rated: Map<Target, number>
}

const lanes: readonly Lane[] = ['fresh', 'retries']
const walkSlice = 500
const mostWalkSlices = 40
const mostAsked = 50
const mostPerClaim = 200
const rateAgainMs = 100

export function makeDispatcher(parts: EngineParts, targets: Targets, room: Room, flight: Flight, quiet: () => void): Dispatcher {
  const { queue, clock, bus, settings } = parts
  const { pace, owner, leaseMs } = settings
  /** Endpoints believed to have due rows, and room for them: asked round robin. */
  const ring = new Set<Target>()
  const limited = new Set<Target>()
  /** Endpoints that found the room of those without a recent success taken: first come, first served once some is free. */
  const crowdedOut = new Set<Target>()
  const floors = makeFloors()
  const cursors: Record<Lane | 'probe', string> = { fresh: '', retries: '', probe: '' }
  let running = false
  let cycling: Promise<void> | null = null
  let pumping: Promise<void> | null = null
  let cycleLeft = 0
  let disarmCycle: (() => void) | null = null
  let disarmLimited: (() => void) | null = null

  function cycle(): void {
    disarmCycle = null
    cycling = runCycle()
  }

  async function runCycle(): Promise<void> {
    try {
      for (const target of targets.all()) target.retriesLeft = pace.retriesPerEndpoint
      await pumping
      cycleLeft = pace.perCycle ?? Number.POSITIVE_INFINITY
      for (const lane of lanes) await discover(lane)
      await pump()
    } catch (error) {
      bus.warn('store_error', `The store did not answer this cycle; the next one tries again: ${messageOf(error)}`)
    }
    if (pace.perCycle !== null) cycleLeft = 0
    cycling = null
    // Re-armed after the cycle, so that cycles never overlap (UC-0270-poll).
    if (running) disarmCycle = clock.after(pace.pollMs, cycle)
    quiet()
  }

  /** Walks the endpoints that have open rows in a lane, slice by slice; a very long walk goes on at the next tick. */
  async function discover(lane: Lane): Promise<void> {
    for (let slice = 0; slice < mostWalkSlices && running; slice += 1) {
      if (cursors[lane] === '') floors.begin(lane, clock.now())
      floors.note(lane, await discoverSlice(lane, lane))
      if (cursors[lane] === '') return floors.end(lane)
    }
  }

  async function discoverSlice(lane: Lane, cursor: Lane | 'probe'): Promise<DueEndpoint[]> {
    // Between ticks only what the last walk has not seen is news.
    const dueFrom = cursor === 'probe' ? floors.unseenFrom(lane) : 0
    const found = await queue.dueEndpoints({ lane, after: cursors[cursor], limit: walkSlice, dueFrom })
    const now = clock.now()
    const due = found.filter(({ dueAt }) => dueAt <= now).map(({ endpointId }) => endpointId)
    const gone = await targets.refresh(due)
    for (const id of gone) await bury(id, now)
    for (const id of due) note(targets.get(id), lane)
    cursors[cursor] = found.length < walkSlice ? '' : (found.at(-1)?.endpointId ?? '')
    return found
  }

  /** The rows of a deleted endpoint end dead, a bite per cycle. */
  async function bury(endpointId: string, now: Instant): Promise<void> {
    const filter = { endpointId, status: ['pending', 'failed'] } as const
    const ended = await queue.cancel({ filter, as: 'gone', now, limit: 1_000, by: { name: 'posthorn', reason: 'endpoint deleted' } })
    tellEnded(bus, ended, 'gone')
  }

  function note(target: Target | undefined, lane: Lane): void {
    if (target === undefined) return
    target.backlog[lane] = true
    ring.add(target)
  }

  /** Claims for as long as there are due rows and room; one claim at a time. */
  function pump(): Promise<void> {
    pumping ??= claimAll()
      .finally(() => (pumping = null))
      .then(() => {
        // Whoever joined the ring while the last look at it ended must not wait for the tick.
        if (mayClaim()) void pumpSafely()
        quiet()
      })
    return pumping
  }

  function mayClaim(): boolean {
    const anyone = ring.size > 0 || (crowdedOut.size > 0 && room.forUnproven() > 0)
    return running && anyone && Math.min(room.inAll(), cycleLeft) > 0
  }

  async function claimAll(): Promise<void> {
    while (mayClaim()) {
      const most = Math.min(room.inAll(), cycleLeft, mostPerClaim)
      const plan = await nextPlan(most)
      if (plan.wants.length > 0 && running) await claim(plan, most)
    }
  }

  /** Asks the next endpoints in the ring what they may take. Whoever may take nothing leaves the ring until that changes. */
  async function nextPlan(most: number): Promise<Plan> {
    for (const target of [...crowdedOut].slice(0, room.forUnproven())) {
      crowdedOut.delete(target)
      ring.add(target)
    }
    const asked = [...ring].slice(0, mostAsked)
    for (const target of asked) ring.delete(target)
    await targets.refresh(asked.map(({ endpoint }) => endpoint.id))

    const plan = { wants: [] as Want[], probes: new Set<string>(), rated: new Map<Target, number>() }
    const share = Math.ceil(most / Math.max(asked.length, 1))
    let left = most
    let unprovenLeft = room.forUnproven()
    for (const target of asked) {
      const unproven = isUnproven(target, clock.now())
      if (left <= 0) ring.add(target)
      else if (unproven && unprovenLeft <= 0) crowdedOut.add(target)
      else {
        const wants = await wantsOf(target, Math.min(share, left, unproven ? unprovenLeft : left), plan)
        const planned = wants.reduce((sum, want) => sum + want.most, 0)
        left -= planned
        if (unproven) unprovenLeft -= planned
        plan.wants.push(...wants.map((want) => ({ ...want, dueFrom: floors.of(want.endpointId, want.lane) })))
      }
    }
    return plan
  }

  async function wantsOf(target: Target, share: number, plan: { probes: Set<string>; rated: Map<Target, number> }): Promise<Want[]> {
    const now = clock.now()
    const { id: endpointId, ratePerSecond } = target.endpoint
    if (targets.isClosed(target)) return []

    if (pace.breaker && isProbing(target.health, now)) {
      if (!(await targets.changeHealth(target, (health) => (isProbing(health, now) ? probeHold(health, now, leaseMs) : null)))) return []
      plan.probes.add(endpointId)
      return splitByLane(target, 1)
    }
    const most = Math.min(room.forTarget(target, now), share)
    if (most === 0 || ratePerSecond === null) return splitByLane(target, most)

    // What is taken from the limit must leave at once: after a wait for the wire it would come on top of what was gained meanwhile.
    const sendable = Math.min(most, room.forWire(target))
    if (sendable === 0) return []
    const granted = await targets.takeRate(target, ratePerSecond, sendable)
    if (granted === 0) askLater(target)
    else plan.rated.set(target, granted)
    return splitByLane(target, granted)
  }

  /** A rate limit refills between ticks: its endpoints are asked again soon. */
  function askLater(target: Target): void {
    if (!running) return
    limited.add(target)
    disarmLimited ??= clock.after(rateAgainMs, () => {
      disarmLimited = null
      for (const waiting of limited) ring.add(waiting)
      limited.clear()
      void pumpSafely()
    })
  }

  async function claim({ wants, probes, rated }: Plan, most: number): Promise<void> {
    const now = clock.now()
    const mostBytes = room.inBytes()
    const claims = await queue.claim({ owner, leaseMs, now, most, mostBytes, wants })
    const counts = new Map<string, number>()
    for (const found of claims) {
      const key = `${found.delivery.endpointId} ${found.lane}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      handOver(found, now, probes.has(found.delivery.endpointId))
    }
    if (pace.perCycle !== null) cycleLeft -= claims.length
    const bytes = claims.reduce((sum, { message }) => sum + message.body.length, 0)
    const cutOff = claims.length >= most || bytes >= mostBytes
    for (const want of wants) conclude(want, counts.get(`${want.endpointId} ${want.lane}`) ?? 0, cutOff)
    for (const [target, granted] of rated) await giveBackRate(target, granted, counts)
  }

  function handOver(found: Claim, leasedAt: Instant, isProbe: boolean): void {
    const { delivery } = found
    const target = targets.get(delivery.endpointId)
    if (target === undefined) return
    const own = flight.get(delivery.id)
    if (own !== undefined) return flight.adopt(own, delivery.leaseEpoch)
    const parcel = parcelOf(found, target, leasedAt, isProbe)
    flight.take(parcel)
    flight.board(parcel)
  }

  /** A lane that gave less than it was asked for has no more due rows, unless the claim as a whole was cut off. */
  function conclude({ endpointId, lane, most }: Want, got: number, cutOff: boolean): void {
    const target = targets.get(endpointId)
    if (target === undefined) return
    if (lane === 'retries') target.retriesLeft -= got
    if (got < most && !cutOff) target.backlog[lane] = false
    freed(target)
  }

  async function giveBackRate(target: Target, granted: number, counts: ReadonlyMap<string, number>): Promise<void> {
    const { id } = target.endpoint
    const unused = granted - lanes.reduce((sum, lane) => sum + (counts.get(`${id} ${lane}`) ?? 0), 0)
    if (unused > 0) await targets.changeHealth(target, (health) => ({ ...health, rateTokens: health.rateTokens + unused }))
  }

  function freed(target: Target): void {
    const { backlog, retriesLeft } = target
    const hasDue = backlog.fresh || (backlog.retries && retriesLeft > 0)
    if (hasDue && !limited.has(target) && room.forTarget(target, clock.now()) > 0) ring.add(target)
    void pumpSafely()
  }

  async function pumpSafely(): Promise<void> {
    if (!mayClaim() || pumping !== null) return
    try {
      await pump()
    } catch (error) {
      bus.warn('store_error', `The store did not answer a claim; the next cycle tries again: ${messageOf(error)}`)
    }
  }

  return {
    start() {
      running = true
      cycle()
    },
    async stop() {
      running = false
      disarmCycle?.()
      disarmLimited?.()
      disarmCycle = disarmLimited = null
      await pumping?.catch(() => undefined)
    },
    offer(target, found, now) {
      if (!running || !pace.fastPath || target.endpoint.ratePerSecond !== null || targets.isClosed(target)) return null
      if (target.backlog.fresh || target.health.holds > 0) return null
      if (room.forTarget(target, now) === 0 || room.inAll() === 0) return null
      const parcel = parcelOf(found, target, now, false)
      flight.take(parcel)
      return parcel
    },
    expect(target, lane) {
      note(target, lane)
      void pumpSafely()
    },
    async probe() {
      // A cycle under way may have passed over what has come in since.
      await cycling
      if (!running) return
      await discoverSlice('fresh', 'probe')
      await pumpSafely()
    },
    freed,
    get isBusy() {
      return cycling !== null || pumping !== null
    },
  }
}

function parcelOf(found: Claim, target: Target, leasedAt: Instant, isProbe: boolean): Parcel {
  const unproven = isUnproven(target, leasedAt)
  return { claim: found, target, epoch: found.delivery.leaseEpoch, leasedAt, probe: isProbe, unproven }
}

/** Both lanes share what an endpoint may take: neither starves the other. */
function splitByLane({ endpoint: { id: endpointId }, backlog, retriesLeft }: Target, most: number): Want[] {
  const retries = backlog.retries ? Math.min(backlog.fresh ? Math.ceil(most / 2) : most, retriesLeft) : 0
  const fresh = backlog.fresh ? most - retries : 0
  const wants: Want[] = [
    { endpointId, lane: 'fresh', most: fresh },
    { endpointId, lane: 'retries', most: retries },
  ]
  return wants.filter((want) => want.most > 0)
}
