import type { Attempt, OutcomeKind } from '../delivery/attempt.ts'
import type { Actor } from './audit.ts'
import type { DeadReason, Delivery, Lane, Mark, Status } from '../delivery/delivery.ts'
import type { Lease } from '../delivery/lease.ts'
import type { Message } from '../message/message.ts'
import type { Health } from '../endpoint/health.ts'
import type { Instant } from '../time.ts'

/** The engine's half of a store. Every write under a lease names owner and epoch; requeue and cancel raise the epoch. */
export interface Queue {
  /**
   * Stores messages with their deliveries; answers in the given order. Concurrent calls share a commit: each is answered once its
   * own messages are stored, and a refusal of one does not affect the others.
   */
  enqueue(request: EnqueueRequest): Promise<Enqueued[]>
  /**
   * Endpoints with open rows in a lane, in id order from `after` on; `dueAt` is when the first row is due.
   * Rows due before `dueFrom` are already known, and may be left out.
   */
  dueEndpoints(request: {
    lane: Lane
    after: string
    limit: number
    dueFrom?: Instant | undefined
  }): Promise<{ endpointId: string; dueAt: Instant }[]>
  /**
   * Leases due rows of the wanted endpoints, within the limits; oldest due first within an endpoint. Taking over an expired lease
   * records its attempt under the old epoch: as `crashed` if it is recorded as `started`, otherwise as `interrupted`.
   * If only one process may deliver, the leases of workers that are no longer attached count as expired.
   */
  claim(request: ClaimRequest): Promise<Claim[]>
  /** Records attempts ahead, as `started`, where the lease is still ours; returns those deliveries. */
  start(request: StartRequest): Promise<string[]>
  /** Extends leases; returns the deliveries whose lease was still ours. */
  renew(request: LeaseRequest & { leaseMs: number }): Promise<string[]>
  /** Writes outcomes and records attempts; answers in the given order. An outcome replaces the provisional record of its attempt. */
  mark(request: MarkRequest): Promise<Marked[]>
  /** Gives back unused leases; returns the deliveries whose lease was still ours. */
  release(request: ReleaseRequest): Promise<string[]>
  /** Back to `pending`, count 0, due now; not under a live lease. Returns how many. */
  requeue(request: OperatorRequest): Promise<number>
  /** To `dead`, even under a live lease (whose mark will then be refused). Returns those it ended. */
  cancel(request: OperatorRequest & { as: DeadReason }): Promise<Cancelled[]>
  /**
   * Deletes deliveries that were delivered or died before a time, with their attempts, messages without deliveries, audit entries,
   * and whatever has expired by `now`. One batch of a round: continue from `next` until it is null.
   */
  prune(request: PruneRequest): Promise<Pruned>
  /** The health of endpoints; endpoints without trouble are left out. */
  health(endpointIds: readonly string[]): Promise<Map<string, Health>>
  /** Writes an endpoint's health if its version is still the given one; false if another worker was first. */
  saveHealth(endpointId: string, health: Health): Promise<boolean>
  /** Disables an active endpoint if its health still has this generation (0 if none is stored); false if not. */
  disable(request: DisableRequest): Promise<boolean>
  /** Takes tokens from rate limits, all in one statement; returns how many were granted, in the given order. */
  takeTokens(request: { now: Instant; asks: readonly TokenAsk[] }): Promise<number[]>
  /** Gives back tokens for which there was nothing to send. */
  returnTokens(tokens: readonly { readonly id: string; readonly count: number }[]): Promise<void>
  /** Takes, or keeps, the turn at work that one worker does at a time; false if another worker has it. A lease of 0 gives it back. */
  takeTurn(request: TurnRequest): Promise<boolean>
}

export interface TurnRequest {
  /** The name of the work. */
  readonly name: string
  readonly owner: string
  readonly now: Instant
  readonly leaseMs: number
}

export interface EnqueueRequest {
  readonly owner: string
  readonly leaseMs: number
  readonly now: Instant
  readonly envelopes: readonly Envelope[]
  /** Asked once, right before the store begins to write: if it returns false, nothing is written, and the answers are `withdrawn`. */
  readonly begins?: (() => boolean) | undefined
}

export interface Envelope {
  readonly message: Message
  readonly idempotencyKey: string | null
  /** A hash of body, type and channels: another body under the same key is refused. */
  readonly bodyHash: string
  /** The version of the application's endpoints that the deliveries were matched against. */
  readonly endpointsVersion: number
  /** The health on which its leases rely, where it was not read within the last second: if any has changed, the envelope is outdated. */
  readonly reliesOn: readonly KnownHealth[]
  readonly deliveries: readonly NewDelivery[]
}

/** A health that was read some time ago. */
export interface KnownHealth {
  readonly endpointId: string
  /** 0 if none was stored. */
  readonly version: number
}

export interface NewDelivery {
  readonly id: string
  readonly endpointId: string
  readonly targetUrl: string
  readonly policy: string
  readonly nextRetryAt: Instant
  /** Inserted under a lease of epoch 1, for the fast path. */
  readonly leased: boolean
}

export type Enqueued =
  | { readonly kind: 'stored' }
  /** The idempotency key was used before, for the same body. */
  | { readonly kind: 'repeated'; readonly messageId: string; readonly deliveries: number }
  /** The idempotency key was used before, for another body. */
  | { readonly kind: 'conflict'; readonly messageId: string }
  /** Another message of the application has this event id. */
  | { readonly kind: 'taken'; readonly messageId: string }
  /** The endpoints have changed since they were matched, or a health that it relies on: nothing of this envelope was written. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'withdrawn' }

export interface ClaimRequest {
  readonly owner: string
  readonly leaseMs: number
  readonly now: Instant
  readonly most: number
  readonly wants: readonly Want[]
}

export interface Want {
  readonly endpointId: string
  readonly lane: Lane
  readonly most: number
  /** Stops once the bodies taken for this want add up to this. */
  readonly mostBytes: number
  /** Nothing is known to be due before this; earlier rows may be missed. */
  readonly dueFrom?: Instant | undefined
}

/** A delivery that this worker may now send, with the message it carries. */
export interface Claim {
  readonly delivery: Pick<
    Delivery,
    | 'id'
    | 'endpointId'
    | 'messageId'
    | 'eventType'
    | 'sessionId'
    | 'attemptCount'
    | 'policy'
    | 'interruptions'
    | 'crashCount'
    | 'leaseEpoch'
    | 'createdAt'
  >
  readonly message: Pick<Message, 'id' | 'body' | 'contentType' | 'traceContext'>
  /** The lane it was claimed from. */
  readonly lane: Lane
  /** What was recorded about the attempt whose lease was taken over; null if there was none. */
  readonly tookOver: 'interrupted' | 'crashed' | null
}

export interface LeaseRequest {
  readonly owner: string
  readonly now: Instant
  readonly leases: readonly Lease[]
}

export interface ReleaseRequest extends LeaseRequest {
  readonly leases: readonly (Lease & {
    /** A new due time: only after a crash. */
    readonly nextRetryAt?: Instant | undefined
    /** An attempt that was on the wire when it was given back: recorded as `interrupted`. */
    readonly interrupted?: Pick<Attempt, 'epoch' | 'startedAt' | 'url'> | undefined
  })[]
}

export interface StartRequest {
  readonly owner: string
  readonly now: Instant
  readonly starts: readonly (Lease & { readonly url: string })[]
}

export interface DisableRequest {
  readonly endpointId: string
  /** The URL that was judged: a newer URL of the endpoint is not affected. */
  readonly url: string
  readonly generation: number
  readonly reason: string
  readonly now: Instant
}

export interface TokenAsk {
  /** The endpoint's or application's id. */
  readonly id: string
  readonly perSecond: number
  readonly most: number
}

export interface MarkRequest {
  readonly owner: string
  readonly now: Instant
  readonly marks: readonly SettledAttempt[]
}

/** A mark, with its attempt (null if nothing was sent). */
export interface SettledAttempt extends Lease {
  readonly endpointId: string
  readonly mark: Mark
  /** The epoch in which it began, which may be older than the lease of its mark. */
  readonly attempt:
    | (Pick<Attempt, 'epoch' | 'startedAt' | 'tookMs' | 'statusCode' | 'responseBody' | 'url' | 'diagnostics'> & {
        readonly outcome: OutcomeKind
      })
    | null
}

/** `marked` now; `already`, by an earlier try whose answer was lost; `lost` to another owner, recorded as late. */
export type Marked = 'marked' | 'already' | 'lost'

export interface OperatorRequest {
  readonly filter: DeliveryFilter
  readonly now: Instant
  readonly limit: number
  /** Who did it, and why: stored in the audit log. */
  readonly by: Actor
}

export interface PruneRequest {
  /** For delivered deliveries, and messages. */
  readonly before: Instant
  /** For dead letters. */
  readonly deadBefore: Instant
  /** For audit entries. */
  readonly auditBefore: Instant
  readonly now: Instant
  readonly limit: number
  /** Where the previous batch ended; null or absent for the first. */
  readonly from?: PrunePlace | null | undefined
}

/** The ids after which the next batch begins. */
export interface PrunePlace {
  readonly delivered: string
  readonly dead: string
  readonly messages: string
}

export interface Pruned {
  /** How many rows of the large tables were deleted. */
  readonly count: number
  /** Null once there is nothing more to delete now. */
  readonly next: PrunePlace | null
}

export type Cancelled = Pick<Delivery, 'id' | 'endpointId' | 'applicationId' | 'messageId' | 'sessionId'>

/** All given conditions must hold. Times are those of creation. */
export interface DeliveryFilter {
  readonly ids?: readonly string[] | undefined
  readonly status?: Status | readonly Status[] | undefined
  readonly reason?: DeadReason | undefined
  readonly endpointId?: string | undefined
  readonly applicationId?: string | undefined
  readonly messageId?: string | undefined
  readonly type?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
  /** Nothing was written to it since: no attempt, no requeue. */
  readonly unchangedSince?: Instant | undefined
}
