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

/** Everything the engine is made of: its ports, and the numbers it runs by. */
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
  /** Null if nobody counts what is done here. */
  readonly meter: Meter | null
  /** How often an idle worker looks for what others have committed; null if nobody else can. */
  readonly lookMs: number | null
  /** How this store says that others have committed something; null if it does not. */
  readonly listen: NonNullable<Store['listen']> | null
  readonly disk: Store['disk'] | undefined
}

export interface EngineSettings {
  /** The worker's name in leases. */
  readonly owner: string
  readonly limits: Limits
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaultPolicy: RetryPolicy
  readonly leaseMs: number
  readonly timeoutMs: number
  /** Rows this process may hold leased at once. */
  readonly maxLeased: number
  /** How long what was delivered is kept. */
  readonly historyMs: number
  /** How long dead letters are kept. */
  readonly deadLetterMs: number
  /** How long audit entries are kept. */
  readonly auditMs: number
  readonly userAgent: string
  /** What the names of the signature's headers begin with. */
  readonly headerPrefix: string
  /** Whether endpoints get the header `traceparent`. */
  readonly sendTraceparent: boolean
  /** From where on alarms are raised; null if none are. */
  readonly alarms: AlarmThresholds | null
}
