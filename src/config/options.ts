import type { Limits } from '../core/limits/limits.ts'
import type { Quotas } from '../core/limits/quotas.ts'
import type { Meter } from '../core/ports/meter.ts'
import type { Clock, Store, Transport } from '../core/ports/ports.ts'
import type { PresetName } from '../core/delivery/presets.ts'
import type { RetryPolicy } from '../core/delivery/retry-policy.ts'
import type { Random } from '../core/time.ts'
import type { EventSchemas } from '../api/send/checked-message.ts'

/** Numbers left out come from the preset; `settingsFromEnvironment()` gives those that an operator has set. */
export interface PosthornOptions<Events extends EventSchemas = EventSchemas> extends Partial<Limits>, Partial<Quotas> {
  readonly store: Store
  readonly preset?: PresetName | (string & {})
  /** Retry policies of your own, by name; endpoints choose one. */
  readonly policies?: Readonly<Record<string, Omit<RetryPolicy, 'name'>>>
  /** Event types with their schemas (any Standard Schema); other types are then refused. */
  readonly events?: Events
  readonly leaseMs?: number
  readonly timeoutMs?: number
  /** Retries of the policy `standard` after its first send. */
  readonly maxRetries?: number
  readonly maxLeased?: number
  /** How long what was delivered is kept; 30 unless given. */
  readonly historyDays?: number
  /** How long dead letters are kept, with their payloads; 90 unless given. */
  readonly deadLetterDays?: number
  /** How long audit entries are kept; 365 unless given. */
  readonly auditDays?: number
  /** CIDRs and host patterns that may be called although private, by http too. */
  readonly allowedTargets?: readonly string[]
  readonly allowHttp?: boolean
  /** An http(s) forward proxy that all deliveries go through. It looks names up, and must refuse private addresses. */
  readonly proxyUrl?: string | null
  /** What the names of the signature's headers begin with (default: that of the preset, `webhook` or `svix`). */
  readonly headerPrefix?: string | null
  /** Refuses messages that do not match the JSON Schema of their event type, where one is defined. */
  readonly enforceSchemas?: boolean
  /** Sends endpoints the header `traceparent` of each attempt, where an SDK of OpenTelemetry is registered. */
  readonly sendTraceparent?: boolean
  /** The port of this machine that your own server listens on: no endpoint may lead there. */
  readonly ownPort?: number | null
  readonly allowUnsafeRetryDelays?: boolean
  /** Counts and times what is done: that of `createMetrics()` from `posthorn/metrics`. */
  readonly meter?: Meter | null
  /** False raises no alarms and sends no operational webhooks. */
  readonly alarms?: boolean
  /**
   * Stores and delivers in a thread of its own, so that neither waits for what yours does. For `sqlite(path)` and `postgres(url)`;
   * without `clock`, `random` and `transport`, which would be in your thread.
   */
  readonly thread?: boolean
  /** Percent of dead letters among the deliveries that ended in five minutes. */
  readonly alarmDeadLetterWarnPercent?: number
  readonly alarmDeadLetterPagePercent?: number
  readonly alarmOldestDueMs?: number
  readonly alarmBacklogRows?: number
  readonly alarmDiskPercent?: number
  readonly alarmCooldownMs?: number
  readonly clock?: Clock
  readonly random?: Random
  readonly transport?: Transport
}
