import { expected } from './errors.ts'
import { askedToWaitMs, blamesEndpoint, succeeded } from './attempt.ts'
import type { Outcome } from './attempt.ts'
import { day, minute, second } from './time.ts'
import type { Instant, Random } from './time.ts'

/** How fast a process lets deliveries leave. All caps are per process, but for the pool, which the workers on one store share. */
export interface Pace {
  readonly pollMs: number
  /** Rows of both lanes together that may leave per cycle; null lets fresh ones leave whenever there is room. */
  readonly perCycle: number | null
  /** Retries that one endpoint may get per cycle. */
  readonly retriesPerEndpoint: number
  /** Requests that may be open to one endpoint at once, over all workers. */
  readonly pool: number
  readonly slowStart: boolean
  readonly breaker: boolean
  readonly fastPath: boolean
  /** Retry-After, 410 and the disabling of endpoints that only fail. */
  readonly heedsEndpoint: boolean
}

/** What one process has learnt about one endpoint: a window that grows with success and reaches zero in a hold. */
export interface Window {
  readonly size: number
  /** Outcomes still to come before the window may be halved again. */
  readonly graceLeft: number
  readonly failuresInRow: number
}

/** What all processes must know about an endpoint's health, kept in the store. */
export interface Health {
  readonly failures: number
  readonly heldUntil: Instant | null
  /** Holds in a row: each doubles the next. */
  readonly holds: number
  readonly failingSince: Instant | null
  /** Attempts that failed since `failingSince`. */
  readonly failedAttempts: number
  /** True once the warning about this streak was told. */
  readonly warned: boolean
  /** The rate limit's bucket. */
  readonly rateTokens: number
  readonly rateAt: Instant
  /** Raised with every write, so that two workers never both win. */
  readonly version: number
}

const slowStartSize = 5
const failuresBeforeHold = 10
const firstHoldMs = minute
const longestHoldMs = 15 * minute
const holdJitterShare = 0.2
const warnAfterMs = day
const disableAfterMs = 5 * day
const disableAfterAttempts = 10

export const healthy: Health = {
  failures: 0,
  heldUntil: null,
  holds: 0,
  failingSince: null,
  failedAttempts: 0,
  warned: false,
  rateTokens: 0,
  rateAt: 0,
  version: 0,
}

export function startWindow(pace: Pace): Window {
  return { size: pace.slowStart ? Math.min(slowStartSize, pace.pool) : pace.pool, graceLeft: 0, failuresInRow: 0 }
}

/** One worker's part of an endpoint's pool, which all of them share: rounded up, so that nobody is left without. */
export function shareOfPool(pool: number, workers: number): number {
  return Math.ceil(pool / Math.max(workers, 1))
}

/** What an outcome teaches about its endpoint; `opened` and `closed` tell of the breaker. */
export interface Lesson {
  readonly window: Window
  readonly health: Health
  readonly opened: boolean
  readonly closed: boolean
}

export interface LessonInput {
  readonly window: Window
  readonly health: Health
  readonly outcome: Outcome
  /** True if this was the one delivery sent to see whether a hold may end. */
  readonly probe: boolean
  readonly pace: Pace
  readonly now: Instant
  readonly random: Random
}

/** Learns from an outcome: success widens, trouble narrows and at last holds, any other answer at least proves life. */
export function learn(input: LessonInput): Lesson {
  const { window, health, outcome, pace, now } = input
  if (succeeded(outcome)) {
    // After a hold the endpoint gets a slow start again.
    const wider = health.holds > 0 ? startWindow(pace) : widen(window, pace)
    return { window: wider, health: hasTrouble(health) ? afterSuccess(health) : health, opened: false, closed: health.holds > 0 }
  }
  if (!pace.heedsEndpoint) return { window, health, opened: false, closed: false }
  if (!blamesEndpoint(outcome)) return alive(input)
  return trouble(input, narrow(window, pace), afterFailure(health, window.failuresInRow + 1, now))
}

function alive({ window, health, pace, now }: LessonInput): Lesson {
  const failing = afterFailure(health, 0, now)
  const open = { ...failing, heldUntil: null, holds: 0 }
  return { window: health.holds > 0 ? startWindow(pace) : { ...window, failuresInRow: 0 }, health: open, opened: false, closed: health.holds > 0 }
}

function trouble({ outcome, probe, pace, now, random, health: before }: LessonInput, window: Window, failing: Health): Lesson {
  const askedMs = askedToWaitMs(outcome)
  const asked = askedMs === null ? failing : holdAsAsked(failing, askedMs, now)
  // What was under way when the hold began comes back as failures too: they must not double it.
  const straggler = isHeld(before, now) && !probe
  if (straggler || !mustHold(window, before, pace)) return { window, health: asked, opened: false, closed: false }
  return { window: { ...window, failuresInRow: 0 }, health: hold(asked, now, random), opened: true, closed: false }
}

function widen(window: Window, pace: Pace): Window {
  return { size: Math.min(window.size + 1, pace.pool), graceLeft: Math.max(window.graceLeft - 1, 0), failuresInRow: 0 }
}

/** Halves the window, at most once per window of outcomes: one bad second must not close it. */
function narrow(window: Window, pace: Pace): Window {
  const failuresInRow = window.failuresInRow + 1
  if (!pace.slowStart) return { ...window, failuresInRow }
  if (window.graceLeft > 0) return { ...window, graceLeft: window.graceLeft - 1, failuresInRow }
  const size = Math.max(Math.floor(window.size / 2), 1)
  return { size, graceLeft: size, failuresInRow }
}

/** True if the breaker must open: ten failures in a row, or the failure of a probe. */
function mustHold(window: Window, health: Health, pace: Pace): boolean {
  return pace.breaker && (window.failuresInRow >= failuresBeforeHold || (health.holds > 0 && window.failuresInRow > 0))
}

/** The next hold: 60 s, doubling up to 15 min, ±20 % so that endpoints behind one fault do not return together. */
function hold(health: Health, now: Instant, random: Random): Health {
  const planned = Math.min(firstHoldMs * 2 ** health.holds, longestHoldMs)
  const heldMs = Math.round(planned * (1 + holdJitterShare * (2 * random() - 1)))
  return { ...health, heldUntil: Math.max(now + heldMs, health.heldUntil ?? 0), holds: health.holds + 1 }
}

/** A hold that the endpoint asked for itself (Retry-After); it is no failure of the breaker's. */
function holdAsAsked(health: Health, askedMs: number, now: Instant): Health {
  const until = now + Math.min(askedMs, longestHoldMs)
  return { ...health, heldUntil: Math.max(until, health.heldUntil ?? 0) }
}

/** The probe's right: `heldUntil` moves by one lease, so a probe that crashes lets time pass and wedges nothing. */
export function probeHold(health: Health, now: Instant, leaseMs: number): Health {
  return { ...health, heldUntil: now + leaseMs }
}

export function isHeld(health: Health, now: Instant): boolean {
  return health.heldUntil !== null && health.heldUntil > now
}

/** A hold has ended but no success has confirmed it yet: one delivery may go and see. */
export function isProbing(health: Health, now: Instant): boolean {
  return health.holds > 0 && health.heldUntil !== null && health.heldUntil <= now
}

function afterFailure(health: Health, failuresInRow: number, now: Instant): Health {
  return {
    ...health,
    failures: failuresInRow,
    failingSince: health.failingSince ?? now,
    failedAttempts: health.failedAttempts + 1,
  }
}

/** Nothing is held against the endpoint any more; the rate bucket stays. */
function afterSuccess(health: Health): Health {
  return { ...healthy, rateTokens: health.rateTokens, rateAt: health.rateAt, version: health.version }
}

/** True if a success has something to clear; if not, it writes nothing. */
function hasTrouble(health: Health): boolean {
  return health.failingSince !== null || health.heldUntil !== null || health.holds > 0
}

/** What a long streak of nothing but failures asks for: a warning at one day, the end at five. */
export function verdictOn(health: Health, now: Instant): 'none' | 'warn' | 'disable' {
  if (health.failingSince === null || health.failedAttempts < disableAfterAttempts) return 'none'
  const failingMs = now - health.failingSince
  if (failingMs >= disableAfterMs) return 'disable'
  return failingMs >= warnAfterMs && !health.warned ? 'warn' : 'none'
}

/** Takes up to `most` tokens from an endpoint's rate bucket, which refills steadily and holds one second's worth. */
export function takeTokens(health: Health, perSecond: number, most: number, now: Instant): { taken: number; health: Health } {
  const capacity = Math.max(perSecond, 1)
  const refilled = (Math.max(now - health.rateAt, 0) / second) * perSecond
  const tokens = Math.min(health.rateTokens + refilled, capacity)
  const taken = Math.min(Math.floor(tokens), most)
  // Workers' clocks differ a little: the moment between them must not refill twice. A clock set far back starts anew.
  const rateAt = now > health.rateAt - second ? Math.max(now, health.rateAt) : now
  return { taken, health: { ...health, rateTokens: tokens - taken, rateAt } }
}

/** Refuses numbers with which no pace can be kept. */
export function checkPace(pace: Pace): void {
  checkCount('pollMs', pace.pollMs, 10, 10 * minute)
  checkCount('retriesPerEndpoint', pace.retriesPerEndpoint, 1, 100_000)
  checkCount('pool', pace.pool, 1, 1_000)
  if (pace.perCycle !== null) checkCount('perCycle', pace.perCycle, 1, 100_000)
}

export function checkCount(name: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return
  throw expected('invalid_argument', name, `a whole number from ${least} to ${most}`, value)
}
