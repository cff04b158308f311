import type { RecordedOutcome } from '../../core/attempt.ts'
import type { DeadReason, Status } from '../../core/delivery.ts'
import type { JobAction, JobState } from '../../core/job.ts'
import type { Access } from '../../core/key.ts'
import type { WhyCode } from '../../core/why.ts'

/** The answers of the HTTP API that the dashboard reads; times are ISO 8601. */
export interface List<Item> {
  readonly data: readonly Item[]
  readonly iterator: string | null
  readonly prevIterator: string | null
  readonly done: boolean
}

export interface Session {
  readonly caller: { readonly name: string; readonly applicationId: string | null; readonly access: Access }
  readonly dev: boolean
}

export interface Delivery {
  readonly id: string
  readonly messageId: string
  readonly endpointId: string
  readonly applicationId: string
  readonly eventType: string
  readonly sessionId: string | null
  readonly targetUrl: string
  readonly status: Status
  readonly reason: DeadReason | null
  readonly attemptCount: number
  readonly nextRetryAt: string | null
  readonly lastAttemptedAt: string | null
  readonly errorDetail: string | null
  readonly policy: string
  readonly inFlight: boolean
  readonly leaseOwner: string | null
  readonly leaseUntil: string | null
  readonly requeuedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** `searched` is there when payloads were searched: how many of the newest deliveries were looked into. */
export type DeliveryList = List<Delivery> & { readonly searched?: number }

export interface Attempt {
  readonly id: string
  readonly number: number
  readonly startedAt: string
  readonly tookMs: number
  readonly outcome: RecordedOutcome
  readonly statusCode: number | null
  readonly response: string | null
  readonly url: string
  readonly late: boolean
  /** Null where it cannot be told any more. */
  readonly request: SentRequest | null
}

/** Of the headers that are `sensitive` only the names are told. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sensitive: readonly string[]
  readonly bytes: number | null
}

export interface DeliveryDetail extends Delivery {
  readonly why: { readonly code: WhyCode; readonly sentence: string }
  readonly maxAttempts: number
  readonly attempts: readonly Attempt[]
  readonly endpoint: { readonly id: string; readonly uid: string | null; readonly url: string; readonly status: string; readonly applicationId: string }
  readonly application: { readonly id: string; readonly uid: string | null; readonly name: string }
  readonly message: {
    readonly id: string
    readonly eventId: string | null
    readonly eventType: string
    readonly contentType: string
    readonly channels: readonly string[] | null
    readonly createdAt: string
    readonly bytes: number
    readonly payload: string
    readonly truncated: boolean
    readonly binary: boolean
    readonly erased: boolean
  }
}

export interface DeadLetterGroup {
  readonly endpointId: string
  readonly applicationId: string
  readonly url: string
  readonly reason: DeadReason
  readonly errorDetail: string | null
  readonly count: number
  readonly newestAt: string
}

export interface DeadLetters {
  readonly data: readonly DeadLetterGroup[]
  /** The newest so many are what `data` tells of. */
  readonly grouped: number
  readonly counted: number
  readonly atLeast: boolean
}

export type HealthState = 'healthy' | 'degraded' | 'breaker_open' | 'paused' | 'disabled'

export interface Hour {
  readonly at: string
  readonly delivered: number
  readonly failed: number
  readonly dead: number
}

export interface Endpoint {
  readonly id: string
  readonly uid: string | null
  readonly applicationId: string
  readonly applicationUid: string | null
  readonly applicationName: string
  readonly url: string
  readonly description: string
  readonly status: 'active' | 'paused' | 'disabled'
  readonly statusReason: string | null
  readonly statusSince: string
  readonly types: readonly string[] | null
  readonly channels: readonly string[] | null
  readonly policy: string
  readonly ratePerSecond: number | null
  readonly createdAt: string
  readonly health: {
    readonly state: HealthState
    readonly sentence: string
    readonly heldUntil: string | null
    readonly failingSince: string | null
    readonly failures: number
  }
  readonly lastSuccessAt: string | null
  readonly backlog: number
  readonly backlogAtLeast: boolean
  readonly hours: readonly Hour[]
}

export interface EndpointDetail extends Endpoint {
  readonly headers: Readonly<Record<string, string>>
  readonly filter: unknown
  readonly metadata: Readonly<Record<string, string>>
  readonly signature: string
  readonly secrets: readonly { readonly id: string; readonly createdAt: string; readonly expiresAt: string | null }[]
  readonly failures: readonly { readonly outcome: RecordedOutcome; readonly statusCode: number | null; readonly count: number }[]
}

export interface Bucket extends Hour {
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
}

export interface Worker {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly startedAt: string
  readonly seenAt: string
}

export interface Overview {
  readonly at: string
  readonly windowMs: number
  readonly attempts: number
  readonly delivered: number
  readonly failed: number
  readonly dead: number
  readonly deadLetterRate: number
  readonly alarm: 'none' | 'warning' | 'alarm'
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
  readonly queue: {
    readonly fresh: number
    readonly retries: number
    readonly held: number
    readonly dead: number
    readonly atLeast: boolean
    readonly oldestDueAt: string | null
  }
  readonly bucketMs: number
  readonly buckets: readonly Bucket[]
  readonly failing: readonly Omit<Endpoint, 'hours'>[]
  readonly workers: readonly Worker[]
}

export interface Job {
  readonly id: string
  readonly action: JobAction
  readonly filter: Readonly<Record<string, unknown>>
  readonly applicationId: string | null
  readonly state: JobState
  readonly matching: number
  readonly done: number
  readonly ratePerSecond: number | null
  readonly etaSeconds: number | null
  readonly actor: string
  readonly reason: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly count: number
  readonly reason: string | null
}

export interface Key {
  readonly id: string
  readonly name: string
  readonly appId: string | null
  readonly access: Access
  readonly hint: string
  readonly createdAt: string
  readonly expiresAt: string | null
}

export interface Setting {
  readonly name: string
  readonly env: string
  readonly value: unknown
  readonly origin: 'environment' | 'default' | 'file'
  readonly unit: string
  readonly sentence: string
}

export interface Policy {
  readonly name: string
  readonly delaysMs: readonly number[]
  readonly jitter: number
  readonly maxAttempts: number
}

export interface Config {
  readonly settings: readonly Setting[]
  readonly policies: readonly Policy[]
  readonly version: string
  readonly database: 'sqlite' | 'postgres'
}

export interface EventType {
  readonly name: string
  readonly description: string
  readonly archived?: boolean
  readonly deprecated: boolean
  readonly schemas?: Readonly<Record<string, unknown>> | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface Application {
  readonly id: string
  readonly uid?: string | null
  readonly name: string
}
