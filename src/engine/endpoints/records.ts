import type { Lane } from '../../core/delivery/delivery.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { Health, LessonInput } from '../../core/endpoint/health.ts'
import type { Claim } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import type { WaitReason } from '../../core/endpoint/verdict.ts'
import type { Window } from '../../core/limits/window.ts'

/**
 * How far an endpoint is trusted with shared capacity. *Proven*: reached within the last minute. *Doubtful*: its last attempt failed, perhaps
 * before this process started, or took a second or more. *Unknown*: neither; it may be healthy or hung.
 */
export type Trust = 'proven' | 'unknown' | 'doubtful'

/** An endpoint as this process sees it: settings, health, deliveries in flight, and what it waits for. */
export interface EndpointRecord {
  endpoint: Endpoint
  /** The rate limit shared by all endpoints of its application. Set by the first read; nothing leaves before that. */
  applicationRatePerSecond: number | null
  /** When settings and health were last read from the store. */
  readAt: Instant
  /** A version of its application's endpoints that had been read before it was; null if none had. */
  endpointsVersion: number | null
  /** A read under way. */
  reading: Promise<void> | null
  health: Health
  /** A save of the health is queued or under way. */
  savingHealth: boolean
  /** Lessons since the last save, in case another worker writes first. */
  readonly unsavedLessons: LessonInput[]
  /** The end of the last write of its health: writes run one after the other. */
  lastHealthWrite: Promise<unknown>
  window: Window
  /** How many windows of rows may be leased ahead of the wire. It shrinks when rows had to be given back unsent. */
  depth: number
  onWire: number
  leased: number
  leasedBytes: number
  suspectsLeased: number
  /** Leased, but the window is full. */
  readonly waiting: InFlight[]
  /** When a delivery last succeeded; null if none has. */
  succeededAt: Instant | null
  /** The last attempt was so slow that the endpoint may be hung. */
  wasSlow: boolean
  /** Lanes that probably have due rows. */
  readonly due: Record<Lane, boolean>
  /** Lanes that got due rows since the last claim began. That claim may have read before they were committed. */
  readonly dueSinceClaim: Record<Lane, boolean>
  /** More fresh rows are due than the last claim could take: new rows queue behind them. */
  isBehind: boolean
  /** Idle: nothing is due. Ready: it can be asked for rows. Asked: a claim is under way. Waiting: rows are due, but something blocks them. */
  state: 'idle' | 'ready' | 'asked' | 'waiting'
  wait: Wait | null
  /** How many retries it has left in this tick. */
  retriesLeft: number
  ramp: Ramp | null
}

export interface Wait {
  readonly reason: WaitReason
  readonly since: Instant
  readonly until: Instant | null
}

/** One tick of a ramp, with the results of the attempts that began in it. */
export interface Ramp {
  readonly from: Instant
  readonly tick: number
  left: number
  begun: number
  blamed: number
}

/** The part of the budget held by one delivery in flight. */
export interface Held {
  readonly record: EndpointRecord
  readonly bytes: number
  /** The trust in the endpoint when the place was taken. */
  readonly trust: Trust
}

/** One delivery held by this process, from lease to mark. */
export interface InFlight extends Held {
  readonly claim: Claim
  readonly leasedAt: Instant
  /** The epoch of the newest lease. It rises if this process takes the row over from itself during an attempt. */
  leaseEpoch: number
  /** The one delivery that tests whether a hold can end. */
  readonly probe: boolean
  readonly isSuspect: boolean
}
