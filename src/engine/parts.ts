import type { AlarmThresholds } from '../core/alarms/thresholds.ts'
import type { Directory } from '../core/ports/directory.ts'
import type { Limits } from '../core/limits/limits.ts'
import type { Meter } from '../core/ports/meter.ts'
import type { Clock, Store, Transport } from '../core/ports/ports.ts'
import type { Queue } from '../core/ports/queue.ts'
import type { Tracer } from '../core/ports/tracer.ts'
import type { RetryPolicy } from '../core/delivery/retry-policy.ts'
import type { Random } from '../core/time.ts'
import type { Bus } from './bus.ts'

/** Everything the engine is built from: its ports and its settings. */
export interface EngineParts {
  readonly queue: Queue
  readonly directory: Directory
  readonly beat: Store['beat']
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly bus: Bus
  readonly tracer: Tracer
  readonly settings: EngineSettings
  /** Null if metrics are off. */
  readonly meter: Meter | null
  /** How often an idle worker looks for rows that others have committed; null if nobody else can commit any. */
  readonly lookMs: number | null
  /** How this store notifies us of commits by others; null if it does not. */
  readonly listen: NonNullable<Store['listen']> | null
  readonly disk: Store['disk'] | undefined
}

export interface EngineSettings {
  /** The name of this worker in leases. */
  readonly owner: string
  readonly limits: Limits
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaultPolicy: RetryPolicy
  readonly leaseMs: number
  readonly timeoutMs: number
  /** How many rows this process may hold leased at once. */
  readonly maxLeased: number
  /** How long delivered messages are kept. */
  readonly historyMs: number
  /** How long dead letters are kept. */
  readonly deadLetterMs: number
  /** How long audit entries are kept. */
  readonly auditMs: number
  readonly userAgent: string
  /** The prefix of the signature headers. */
  readonly headerPrefix: string
  /** Whether endpoints receive the header `traceparent`. */
  readonly sendTraceparent: boolean
  /** The thresholds for alarms; null if alarms are off. */
  readonly alarms: AlarmThresholds | null
}
