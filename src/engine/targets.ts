import type { Endpoint } from '../core/endpoint.ts'
import { messageOf, PosthornError } from '../core/errors.ts'
import { healthy, isHeld, learn, startWindow, takeTokens, verdictOn } from '../core/pace.ts'
import type { Health, Window } from '../core/pace.ts'
import type { Outcome } from '../core/attempt.ts'
import { succeeded } from '../core/attempt.ts'
import type { Instant } from '../core/time.ts'
import type { Parcel } from './deliver.ts'
import type { EngineParts } from './parts.ts'

/** One endpoint as this process knows it: its settings, its health, and what is under way to it. */
export interface Target {
  endpoint: Endpoint
  readAt: Instant
  health: Health
  window: Window
  /** How many windows may be leased ahead of the wire: fewer once rows had to be given back unsent. */
  depth: number
  onWire: number
  leased: number
  /** Leased, but the window is full. */
  readonly waiting: Parcel[]
  /** Lanes believed to hold due rows. */
  readonly backlog: { fresh: boolean; retries: boolean }
  /** What the tick's cap leaves to the retries. */
  retriesLeft: number
  succeededAt: Instant | null
  /** A save is waiting or under way. */
  saving: boolean
  /** The end of the last write of its health: they follow one another. */
  lastWrite: Promise<unknown>
}

/** The endpoints this process deals with. Settings are at most a second old when something is claimed for them. */
export interface Targets {
  get(endpointId: string): Target | undefined
  /** Takes over endpoints that were just read, as when a message was matched. */
  know(endpoints: readonly Endpoint[]): Promise<void>
  /** Reads those anew that are older than a second; answers with the ids that exist no more. */
  refresh(endpointIds: readonly string[]): Promise<string[]>
  /** Makes the next refresh read this one. */
  forgetAge(endpointId: string): void
  /** True if the endpoint's deliveries must wait, whatever room there is. */
  isClosed(target: Target): boolean
  /** Lets an outcome change window and health. */
  learn(target: Target, outcome: Outcome, probe: boolean): void
  /** Changes a health in the store, on what all workers know; false if the change no longer applies (null). */
  changeHealth(target: Target, change: (health: Health) => Health | null): Promise<boolean>
  /** Takes up to `most` sends from the endpoint's rate limit, which all workers share. */
  takeRate(target: Target, perSecond: number, most: number): Promise<number>
  all(): Iterable<Target>
}

export const mostDepth = 8
const freshMs = 1_000
const mostTargets = 50_000

export function makeTargets({ queue, directory, clock, random, bus, settings }: EngineParts): Targets {
  const targets = new Map<string, Target>()
  const unreadable = new Set<string>()
  const { pace } = settings

  async function know(endpoints: readonly Endpoint[]): Promise<void> {
    const now = clock.now()
    const strangers = endpoints.filter(({ id }) => !targets.has(id))
    const health = strangers.length === 0 ? new Map<string, Health>() : await queue.health(strangers.map(({ id }) => id))
    for (const endpoint of endpoints) {
      const target = targets.get(endpoint.id)
      if (target === undefined) targets.set(endpoint.id, newTarget(endpoint, health.get(endpoint.id) ?? healthy, now))
      else Object.assign(target, { endpoint, readAt: now })
    }
    if (targets.size > mostTargets) forgetIdle()
  }

  function newTarget(endpoint: Endpoint, health: Health, readAt: Instant): Target {
    return {
      endpoint,
      readAt,
      health,
      window: startWindow(pace),
      depth: mostDepth,
      onWire: 0,
      leased: 0,
      waiting: [],
      backlog: { fresh: false, retries: false },
      retriesLeft: pace.retriesPerEndpoint,
      succeededAt: null,
      saving: false,
      lastWrite: Promise.resolve(),
    }
  }

  function forgetIdle(): void {
    for (const [id, target] of targets) {
      if (target.leased === 0 && !target.saving) targets.delete(id)
      if (targets.size <= mostTargets / 2) return
    }
  }

  async function refresh(endpointIds: readonly string[]): Promise<string[]> {
    const oldest = clock.now() - freshMs
    const stale = endpointIds.filter((id) => (targets.get(id)?.readAt ?? 0) <= oldest)
    if (stale.length === 0) return []
    const [endpoints, health] = await Promise.all([read(stale), queue.health(stale)])
    await know(endpoints)
    for (const { id } of endpoints) {
      const target = targets.get(id)
      const stored = health.get(id) ?? healthy
      // Not everything that was learnt is worth a write: only what another worker has written since is newer than memory.
      if (target !== undefined && !target.saving && stored.version > target.health.version) target.health = stored
    }
    const found = new Set(endpoints.filter(({ status }) => status !== 'deleted').map(({ id }) => id))
    return stale.filter((id) => !found.has(id) && !unreadable.has(id))
  }

  /** One endpoint whose secrets cannot be opened must not keep all others waiting: it is left out, and searched for by halves. */
  async function read(ids: readonly string[]): Promise<Endpoint[]> {
    try {
      const endpoints = await directory.endpointsById(ids)
      for (const id of ids) unreadable.delete(id)
      return endpoints
    } catch (error) {
      if (!(error instanceof PosthornError) || error.code !== 'secrets_unreadable') throw error
      const half = Math.ceil(ids.length / 2)
      if (ids.length > 1) return [...(await read(ids.slice(0, half))), ...(await read(ids.slice(half)))]
      const [id = ''] = ids
      if (!unreadable.has(id)) bus.warn('secrets_key', `Endpoint ${id} could not be read, and its deliveries wait: ${error.message}`)
      unreadable.add(id)
      return []
    }
  }

  function learnFrom(target: Target, outcome: Outcome, probe: boolean): void {
    const now = clock.now()
    const before = target.health
    const lesson = learn({ window: target.window, health: before, outcome, probe, pace, now, random })
    target.window = lesson.window
    target.health = lesson.health
    const webhook_id = target.endpoint.id
    if (succeeded(outcome)) target.succeededAt = now
    if (lesson.opened && lesson.health.heldUntil !== null) bus.tell({ type: 'breaker.opened', webhook_id, held_until: lesson.health.heldUntil })
    if (lesson.closed) bus.tell({ type: 'breaker.closed', webhook_id })
    if (pace.heedsEndpoint) judge(target, outcome, now)
    if (worthSaving(before, target.health)) void save(target)
  }

  /** A long streak of failures ends in a warning, then in the end of the endpoint; 410 ends it at once. */
  function judge(target: Target, outcome: Outcome, now: Instant): void {
    const gone = outcome.kind === 'answered' && outcome.statusCode === 410
    const verdict = gone ? 'disable' : verdictOn(target.health, now)
    if (verdict === 'warn') {
      target.health = { ...target.health, warned: true }
      bus.tell({ type: 'endpoint.failing', webhook_id: target.endpoint.id, failing_since: target.health.failingSince ?? now })
    }
    if (verdict === 'disable') void disable(target, gone ? 'it answered 410 Gone' : 'it has only failed for five days')
  }

  async function disable(target: Target, reason: string): Promise<void> {
    if (target.endpoint.status !== 'active') return
    target.endpoint = { ...target.endpoint, status: 'disabled', statusReason: reason }
    try {
      await directory.updateEndpoint(target.endpoint.id, { status: 'disabled', statusReason: reason }, clock.now())
      bus.tell({ type: 'endpoint.disabled', webhook_id: target.endpoint.id, reason })
    } catch (error) {
      bus.warn('store_error', `Endpoint ${target.endpoint.id} could not be disabled: ${messageOf(error)}`)
    }
  }

  /** Writes what memory knows; what changes while one write runs goes into the next. */
  async function save(target: Target): Promise<void> {
    if (target.saving) return
    target.saving = true
    try {
      await inTurn(target, async () => {
        for (let again = true; again; ) {
          const written = target.health
          if (!(await queue.saveHealth(target.endpoint.id, written))) return reread(target)
          again = target.health !== written
          stamp(target, target.health, written)
        }
      })
    } catch (error) {
      bus.warn('store_error', `The health of ${target.endpoint.id} was not stored: ${messageOf(error)}`)
    } finally {
      target.saving = false
    }
  }

  function changeHealth(target: Target, change: (health: Health) => Health | null): Promise<boolean> {
    return inTurn(target, async () => {
      for (let tries = 0; tries < 5; tries += 1) {
        const next = change(target.health)
        if (next === null) return false
        if (await queue.saveHealth(target.endpoint.id, next)) {
          // An outcome may have come in while this was written: the change applies to what is known now.
          stamp(target, change(target.health) ?? target.health, next)
          return true
        }
        await reread(target)
      }
      return false
    })
  }

  function stamp(target: Target, health: Health, written: Health): void {
    target.health = { ...health, version: written.version + 1 }
  }

  async function reread(target: Target): Promise<void> {
    const { id } = target.endpoint
    target.health = (await queue.health([id])).get(id) ?? healthy
  }

  async function takeRate(target: Target, perSecond: number, most: number): Promise<number> {
    // One time for all tries: what comes in while one is being stored was not stored with it.
    const now = clock.now()
    let granted = 0
    const stored = await changeHealth(target, (before) => {
      const { taken, health } = takeTokens(before, perSecond, most, now)
      granted = taken
      return taken === 0 ? null : health
    })
    return stored ? granted : 0
  }

  function isClosed(target: Target): boolean {
    return target.endpoint.status !== 'active' || (pace.heedsEndpoint && isHeld(target.health, clock.now()))
  }

  function forgetAge(endpointId: string): void {
    const target = targets.get(endpointId)
    if (target !== undefined) target.readAt = 0
  }

  return { get: (id) => targets.get(id), know, refresh, forgetAge, isClosed, learn: learnFrom, changeHealth, takeRate, all: () => targets.values() }
}

function inTurn<Result>(target: Target, work: () => Promise<Result>): Promise<Result> {
  const next = target.lastWrite.then(work)
  target.lastWrite = next.catch(() => undefined)
  return next
}

/** Success writes nothing; a streak of failures writes when it begins, when a hold moves, and every ten attempts. */
function worthSaving(before: Health, after: Health): boolean {
  return (
    before.failingSince !== after.failingSince ||
    before.heldUntil !== after.heldUntil ||
    before.holds !== after.holds ||
    before.warned !== after.warned ||
    (before.failedAttempts !== after.failedAttempts && after.failedAttempts % 10 === 0)
  )
}
