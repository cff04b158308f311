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
   * Stores messages with their deliveries; answers in the order given. Calls that come together share a commit: each is answered
   * once it is stored itself, and what the store refuses of one is no harm to the others.
   */
  enqueue(request: EnqueueRequest): Promise<Enqueued[]>
  /**
   * Endpoints with open rows in a lane, in id order from `after` on; `dueAt` is when the first of them is due.
   * What is due before `dueFrom` is known already, and may be left out.
   */
  dueEndpoints(request: {
    lane: Lane
    after: string
    limit: number
    dueFrom?: Instant | undefined
  }): Promise<{ endpointId: string; dueAt: Instant }[]>
  /**
   * Leases due rows of the wanted endpoints, within the bounds; oldest due first within an endpoint. A takeover of a lease that has ended
   * puts its attempt on record, under the old epoch: `crashed` if it is there as `started`, else `interrupted`.
   * Where only one process may deliver, the leases of workers that are no longer attached have ended, whatever their time.
   */
  claim(request: ClaimRequest): Promise<Claim[]>
  /** Writes attempts ahead, as `started`, where the lease is still ours; answers with those deliveries. */
  start(request: StartRequest): Promise<string[]>
  /** Prolongs leases; answers with the deliveries whose lease was still ours. */
  renew(request: LeaseRequest & { leaseMs: number }): Promise<string[]>
  /** Writes outcomes and records attempts; answers in the order given. An outcome takes the place of a provisional record of its attempt. */
  mark(request: MarkRequest): Promise<Marked[]>
  /** Gives leases back unused; answers with the deliveries whose lease was still ours. */
  release(request: ReleaseRequest): Promise<string[]>
  /** Back to `pending`, count 0, due now; not under a live lease. Answers with how many. */
  requeue(request: OperatorRequest): Promise<number>
  /** To `dead`, also under a live lease (whose mark will then be refused). Answers with those it ended. */
  cancel(request: OperatorRequest & { as: DeadReason }): Promise<Cancelled[]>
  /**
   * Forgets what was delivered or has died before a time, with attempts, messages that no delivery is left of, and audit entries;
   * of what ends by itself, whatever is over `now`. One batch of a round: go on from `next` until it is null.
   */
  prune(request: PruneRequest): Promise<Pruned>
  /** The health of endpoints; those without trouble are absent. */
  health(endpointIds: readonly string[]): Promise<Map<string, Health>>
  /** Writes the health of an endpoint if its version is still the one given; false if another worker was first. */
  saveHealth(endpointId: string, health: Health): Promise<boolean>
  /** Disables an active endpoint if its health is still of this generation (0 where none is kept); false if not. */
  disable(request: DisableRequest): Promise<boolean>
  /** Takes tokens of rate limits, all in one statement; answers in the order given with how many were granted. */
  takeTokens(request: { now: Instant; asks: readonly TokenAsk[] }): Promise<number[]>
  /** Gives back tokens that found nothing to send. */
  returnTokens(tokens: readonly { readonly id: string; readonly count: number }[]): Promise<void>
  /** Takes, or keeps, the turn at work that one worker does at a time; false if it is another's. A lease of 0 gives it back. */
  takeTurn(request: TurnRequest): Promise<boolean>
}

export interface TurnRequest {
  /** Of the work. */
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
  /** Asked once, right before the store begins to write: if it says no, nothing is written, and the answers are `withdrawn`. */
  readonly begins?: (() => boolean) | undefined
}

export interface Envelope {
  readonly message: Message
  readonly idempotencyKey: string | null
  /** Of body, type and channels: another body under the same key is refused by it. */
  readonly bodyHash: string
  /** The version of the application's endpoints that the deliveries were matched against. */
  readonly endpointsVersion: number
  readonly deliveries: readonly NewDelivery[]
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
  /** The endpoints have changed since they were matched: nothing of this envelope was written. */
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
  /** Nothing more is taken for this want once its bodies amount to this. */
  readonly mostBytes: number
  /** Nothing is known to be due before this; what is may be left out. */
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
  /** What was put on record of the attempt whose lease was taken over; null if there was none. */
  readonly tookOver: 'interrupted' | 'crashed' | null
}

export interface LeaseRequest {
  readonly owner: string
  readonly now: Instant
  readonly leases: readonly Lease[]
}

export interface ReleaseRequest extends LeaseRequest {
  readonly leases: readonly (Lease & {
    /** Moves the time at which it is due: after a crash only. */
    readonly nextRetryAt?: Instant | undefined
    /** An attempt that was on the wire when it was given back: it is put on record as `interrupted`. */
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
  /** The URL that was judged: one that the endpoint got since is another matter. */
  readonly url: string
  readonly generation: number
  readonly reason: string
  readonly now: Instant
}

export interface TokenAsk {
  /** Whose limit it is: an endpoint's or an application's id. */
  readonly id: string
  readonly perSecond: number
  readonly most: number
}

export interface MarkRequest {
  readonly owner: string
  readonly now: Instant
  readonly marks: readonly SettledAttempt[]
}

/** A mark, with the attempt that led to it (null if nothing was sent). */
export interface SettledAttempt extends Lease {
  readonly endpointId: string
  readonly mark: Mark
  /** Under the epoch that it began in, which may be older than the lease that its mark is written under. */
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
  /** Who did it, and why: kept in the audit log. */
  readonly by: Actor
}

export interface PruneRequest {
  /** Of what was delivered, and of messages. */
  readonly before: Instant
  /** Of dead letters. */
  readonly deadBefore: Instant
  /** Of audit entries. */
  readonly auditBefore: Instant
  readonly now: Instant
  readonly limit: number
  /** Where the batch before has ended; null or absent for the first. */
  readonly from?: PrunePlace | null | undefined
}

/** The ids behind which the next batch begins. */
export interface PrunePlace {
  readonly delivered: string
  readonly dead: string
  readonly messages: string
}

export interface Pruned {
  /** How many were forgotten of what there may be many of. */
  readonly count: number
  /** Null once there is nothing more to forget now. */
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
