import type { Lane } from '../../core/delivery/delivery.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { Health, LessonInput } from '../../core/endpoint/health.ts'
import type { Claim } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import type { WaitReason } from '../../core/endpoint/verdict.ts'
import type { Window } from '../../core/limits/window.ts'

/**
 * How far an endpoint is trusted with what all of them share. *Proven*: something reached it within a minute. *Doubtful*: its last attempt failed,
 * also before this process began, or took a second or more. *Unknown*: neither; it may be as good as any, or hung.
 */
export type Trust = 'proven' | 'unknown' | 'doubtful'

/** One endpoint as this process knows it: its settings, its health, what is under way to it, and what it waits for. */
export interface EndpointRecord {
  endpoint: Endpoint
  /** The limit that it shares with the others of its application; known once it was read, without which nothing leaves. */
  applicationRatePerSecond: number | null
  /** When settings and health were last read from the store. */
  readAt: Instant
  /** A read that is under way. */
  reading: Promise<void> | null
  health: Health
  /** A save of the health is waiting or under way. */
  savingHealth: boolean
  /** What was learnt since the last save, in case another worker writes first. */
  readonly unsavedLessons: LessonInput[]
  /** The end of the last write of its health: they follow one another. */
  lastHealthWrite: Promise<unknown>
  window: Window
  /** How many windows may be leased ahead of the wire: fewer once rows had to be given back unsent. */
  depth: number
  onWire: number
  leased: number
  leasedBytes: number
  suspectsLeased: number
  /** Leased, but the window is full. */
  readonly waiting: InFlight[]
  /** When a delivery last reached it; null if none has. */
  succeededAt: Instant | null
  /** The last attempt took so long that it may be hung. */
  wasSlow: boolean
  /** Lanes believed to hold due rows. */
  readonly due: Record<Lane, boolean>
  /** Lanes that got due rows since the last claim began: it may have read before they were committed. */
  readonly dueSinceClaim: Record<Lane, boolean>
  /** More fresh rows are due than the last claim could take: whatever comes now queues behind them. */
  isBehind: boolean
  /** Idle: nothing is due. Ready: it may be asked for rows. Asked: a claim is under way. Waiting: rows are due, and something keeps them. */
  state: 'idle' | 'ready' | 'asked' | 'waiting'
  wait: Wait | null
  /** What the tick's allowance leaves to its retries. */
  retriesLeft: number
  ramp: Ramp | null
}

export interface Wait {
  readonly reason: WaitReason
  readonly since: Instant
  readonly until: Instant | null
}

/** One tick of a ramp, and what came of the attempts that began in it. */
export interface Ramp {
  readonly from: Instant
  readonly tick: number
  left: number
  begun: number
  blamed: number
}

/** A part of the budget that something in flight holds. */
export interface Held {
  readonly record: EndpointRecord
  readonly bytes: number
  /** How far the endpoint was trusted when it was taken. */
  readonly trust: Trust
}

/** One delivery in this process's hands, from lease to mark. */
export interface InFlight extends Held {
  readonly claim: Claim
  readonly leasedAt: Instant
  /** The epoch of the newest lease: it rises if this process takes the row over from itself while the attempt is under way. */
  leaseEpoch: number
  /** The one delivery that goes to see whether a hold may end. */
  readonly probe: boolean
  readonly isSuspect: boolean
}
