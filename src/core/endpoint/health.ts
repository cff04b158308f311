import { askedToWaitMs, blamesEndpoint, isOurOwnFault, succeeded } from '../delivery/attempt.ts'
import type { Outcome } from '../delivery/attempt.ts'
import type { Limits } from '../limits/limits.ts'
import { day, minute, second } from '../time.ts'
import type { Instant, Random } from '../time.ts'
import { narrow, startWindow, widen } from '../limits/window.ts'
import type { Window } from '../limits/window.ts'

/** What all workers must know about an endpoint, stored in the database. */
export interface Health {
  readonly failures: number
  readonly heldUntil: Instant | null
  /** Consecutive holds of the breaker: each doubles the next. */
  readonly holds: number
  readonly failingSince: Instant | null
  /** Failed attempts since `failingSince`. */
  readonly failedAttempts: number
  /** Warnings emitted about this streak: one after a day, the last one a day before the endpoint is disabled. */
  readonly warnings: number
  /** Increases with a changed URL, a hold, its end, or a person enabling the endpoint: attempts that began earlier are evidence about another state. */
  readonly generation: number
  /** When the last hold or pause ended or will end: from then on deliveries leave in growing steps. Null once nothing is waiting. */
  readonly rampFrom: Instant | null
  /** Increases with every write, so that two workers never both win. */
  readonly version: number
}

export const healthy: Health = {
  failures: 0,
  heldUntil: null,
  holds: 0,
  failingSince: null,
  failedAttempts: 0,
  warnings: 0,
  generation: 0,
  rampFrom: null,
  version: 0,
}

const failuresBeforeHold = 10
const firstHoldMs = minute
const longestHoldMs = 15 * minute
const holdJitterShare = 0.2
export const warnAfterMs = day
export const disableAfterMs = 5 * day
export const finalNoticeAfterMs = disableAfterMs - day
export const leastFailedAttempts = 10
const mostWarnings = 2
const probeMarginMs = second

/** An outcome, with the state of the endpoint in which it was gathered. */
export interface Evidence {
  readonly outcome: Outcome
  /** The generation of the endpoint's health when the attempt began. */
  readonly generation: number
  /** False if the attempt went to a URL that the endpoint no longer has. */
  readonly sameUrl: boolean
  /** True if this was the single delivery sent to see whether a hold may end. */
  readonly probe: boolean
}

/** What evidence changes about its endpoint; `opened` and `closed` refer to the breaker. */
export interface Lesson {
  readonly window: Window
  readonly health: Health
  readonly opened: boolean
  readonly closed: boolean
  /** True if the endpoint said that it is gone for good. */
  readonly gone: boolean
}

export interface LessonInput {
  readonly window: Window
  readonly health: Health
  readonly evidence: Evidence
  readonly limits: Limits
  readonly now: Instant
  readonly random: Random
}

/** Learns from an attempt: success widens the window, trouble narrows it and finally opens the breaker, any other answer at least proves life. */
export function learn(input: LessonInput): Lesson {
  const { window, health, evidence, limits, now } = input
  const unchanged: Lesson = { window, health, opened: false, closed: false, gone: false }
  if (!evidence.sameUrl) return unchanged
  if (isOurOwnFault(evidence.outcome)) return unchanged
  const heeded: Lesson = { ...unchanged, gone: limits.heedsEndpoint && isGone(evidence.outcome) }
  if (evidence.generation !== health.generation || (isHeld(health, now) && !evidence.probe))
    return fromThePast(input, heeded)
  if (succeeded(evidence.outcome)) return success(input, heeded)
  if (!limits.heedsEndpoint) return unchanged
  return blamesEndpoint(evidence.outcome) ? trouble(input, heeded) : alive(input, heeded)
}

/**
 * Of attempts that began before the present state only a longer wait counts: a success must not end a hold that came after it. Nor may the
 * success of a request that was about to leave when the hold was stored: only a probe is sent to see whether a hold may end.
 */
function fromThePast({ health, evidence, limits, now }: LessonInput, lesson: Lesson): Lesson {
  const askedMs = limits.heedsEndpoint ? askedToWaitMs(evidence.outcome) : null
  return askedMs === null ? lesson : { ...lesson, health: holdAsAsked(health, askedMs, now) }
}

function success({ window, health, limits, now }: LessonInput, lesson: Lesson): Lesson {
  const closed = health.holds > 0
  // After a hold the endpoint starts slowly again.
  return {
    ...lesson,
    window: closed ? startWindow(limits) : widen(window, limits),
    health: hasTrouble(health) ? afterSuccess(health, now) : health,
    closed,
  }
}

function alive({ window, health, limits, now }: LessonInput, lesson: Lesson): Lesson {
  const closed = health.holds > 0
  const failing = afterFailure(health, 0, now)
  const open = closed
    ? { ...failing, heldUntil: null, holds: 0, generation: health.generation + 1, rampFrom: now }
    : failing
  return { ...lesson, window: closed ? startWindow(limits) : { ...window, failuresInRow: 0 }, health: open, closed }
}

function trouble({ window, health, evidence, limits, now, random }: LessonInput, lesson: Lesson): Lesson {
  const narrower = narrow(window, limits)
  // The hold that was the probe's right to send has done its work.
  const before = evidence.probe ? { ...health, heldUntil: null } : health
  const failing = afterFailure(before, narrower.failuresInRow, now)
  const askedMs = askedToWaitMs(evidence.outcome)
  const asked = askedMs === null ? failing : holdAsAsked(failing, askedMs, now)
  if (!mustHold(narrower, health, limits)) return { ...lesson, window: narrower, health: asked }
  return { ...lesson, window: { ...narrower, failuresInRow: 0 }, health: hold(asked, now, random), opened: true }
}

/** True if the breaker must open: ten failures in a row, or a failed probe. */
function mustHold(window: Window, health: Health, limits: Limits): boolean {
  return limits.breaker && (window.failuresInRow >= failuresBeforeHold || health.holds > 0)
}

/** The next hold: 60 s, doubling up to 15 min, ±20 % so that endpoints behind one fault do not return together. */
function hold(health: Health, now: Instant, random: Random): Health {
  const planned = Math.min(firstHoldMs * 2 ** health.holds, longestHoldMs)
  const heldMs = Math.round(planned * (1 + holdJitterShare * (2 * random() - 1)))
  return { ...heldFor(health, heldMs, now), holds: health.holds + 1 }
}

/** A hold that the endpoint itself asked for (Retry-After); it does not count as a failure for the breaker. */
function holdAsAsked(health: Health, askedMs: number, now: Instant): Health {
  return heldFor(health, Math.min(askedMs, longestHoldMs), now)
}

/** A hold never gets shorter; one that changes nothing starts no generation. */
function heldFor(health: Health, heldMs: number, now: Instant): Health {
  const heldUntil = now + heldMs
  if (heldMs === 0 || (health.heldUntil !== null && health.heldUntil >= heldUntil)) return health
  return { ...health, heldUntil, rampFrom: heldUntil, generation: health.generation + 1 }
}

/** Gives one worker the right to probe: the hold outlasts the attempt, so if that worker dies, the hold simply expires. */
export function probeHold(health: Health, now: Instant, timeoutMs: number): Health {
  return { ...health, heldUntil: now + timeoutMs + probeMarginMs }
}

export function isHeld(health: Pick<Health, 'heldUntil'>, now: Instant): boolean {
  return health.heldUntil !== null && health.heldUntil > now
}

/** A hold of the breaker has expired, but no success has confirmed it yet: one delivery may probe. */
export function awaitsProbe(health: Pick<Health, 'heldUntil' | 'holds'>, now: Instant): boolean {
  return health.holds > 0 && !isHeld(health, now)
}

/** The health of an endpoint that a person enabled, or that has a new URL: it starts without failures, and deliveries kept back leave in steps. */
export function nextGeneration(health: Health, keptBack: boolean, now: Instant): Health {
  const rampFrom = keptBack || health.heldUntil !== null ? now : health.rampFrom
  return { ...healthy, generation: health.generation + 1, rampFrom, version: health.version }
}

function afterFailure(health: Health, failuresInRow: number, now: Instant): Health {
  return {
    ...health,
    failures: failuresInRow,
    failingSince: health.failingSince ?? now,
    failedAttempts: health.failedAttempts + 1,
  }
}

/** Clears all failures; deliveries kept back by a hold leave in steps. */
function afterSuccess(health: Health, now: Instant): Health {
  const { generation, rampFrom, version } = health
  return health.holds > 0
    ? { ...healthy, generation: generation + 1, rampFrom: now, version }
    : { ...healthy, generation, rampFrom, version }
}

/** True if a success has something to clear; otherwise it writes nothing. */
function hasTrouble(health: Health): boolean {
  return health.failingSince !== null || health.heldUntil !== null || health.holds > 0
}

function isGone(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode === 410
}

/** What a long streak of failures calls for: a warning after one day, another after four, disabling after five. */
export function judge(health: Health, now: Instant): 'nothing' | 'warn' | 'warn again' | 'disable' {
  if (health.failingSince === null || !isLongStreak(health)) return 'nothing'
  const failingMs = now - health.failingSince
  if (failingMs >= disableAfterMs) return 'disable'
  if (failingMs >= finalNoticeAfterMs && health.warnings < mostWarnings) return 'warn again'
  return failingMs >= warnAfterMs && health.warnings === 0 ? 'warn' : 'nothing'
}

/** After a warning was emitted. If the streak is first noticed on its last day, there is only one warning. */
export function afterWarning(health: Health, judgement: 'warn' | 'warn again'): Health {
  return { ...health, warnings: judgement === 'warn' ? 1 : mostWarnings }
}

/** True if there are enough failures to count against the endpoint; fewer may be one message that it cannot take. */
function isLongStreak({ failedAttempts }: Pick<Health, 'failedAttempts'>): boolean {
  return failedAttempts >= leastFailedAttempts
}

/** True if an endpoint only fails, often enough to say so: ten attempts in a row, or its breaker is open. A single failed attempt proves nothing. */
export function isFailing(health: Pick<Health, 'failingSince' | 'failedAttempts' | 'holds'>): boolean {
  return health.failingSince !== null && (isLongStreak(health) || health.holds > 0)
}

/** When an endpoint that only fails will be disabled unless a delivery succeeds; null if its failures do not count yet. */
export function willBeDisabledAt(health: Pick<Health, 'failingSince' | 'failedAttempts'>): Instant | null {
  return health.failingSince === null || !isLongStreak(health) ? null : health.failingSince + disableAfterMs
}

/** Why the engine disabled an endpoint; a person's reason begins with who it was. */
export const disabledBecause = {
  gone: 'it answered 410 Gone',
  failing: 'it has only failed for five days',
} as const

/** Success writes nothing; a streak of failures writes when it begins, when a hold or the ramp changes, and every ten attempts. */
export function isWorthSaving(before: Health, after: Health): boolean {
  return (
    before.generation !== after.generation ||
    before.failingSince !== after.failingSince ||
    before.heldUntil !== after.heldUntil ||
    before.holds !== after.holds ||
    before.rampFrom !== after.rampFrom ||
    before.warnings !== after.warnings ||
    (before.failedAttempts !== after.failedAttempts && after.failedAttempts % 10 === 0)
  )
}
