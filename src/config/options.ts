import type { Limits } from '../core/limits/limits.ts'
import type { Quotas } from '../core/limits/quotas.ts'
import type { Meter } from '../core/ports/meter.ts'
import type { Clock, Store, Transport } from '../core/ports/ports.ts'
import type { PresetName } from '../core/delivery/presets.ts'
import type { RetryPolicy } from '../core/delivery/retry-policy.ts'
import type { Random } from '../core/time.ts'
import type { EventSchemas } from '../api/send/checked-message.ts'

/** Numbers that are left out come from the preset; `settingsFromEnvironment()` returns those that an operator has set. */
export interface PosthornOptions<Events extends EventSchemas = EventSchemas> extends Partial<Limits>, Partial<Quotas> {
  readonly store: Store
  readonly preset?: PresetName | (string & {})
  /** Your own retry policies, by name; endpoints choose one. */
  readonly policies?: Readonly<Record<string, Omit<RetryPolicy, 'name'>>>
  /** Event types with their schemas (any Standard Schema); other types are then refused. */
  readonly events?: Events
  readonly leaseMs?: number
  readonly timeoutMs?: number
  /** Retries of the policy `standard` after its first send. */
  readonly maxRetries?: number
  readonly maxLeased?: number
  /** How long delivered deliveries are kept; 30 by default. */
  readonly historyDays?: number
  /** How long dead letters are kept, with their payloads; 90 by default. */
  readonly deadLetterDays?: number
  /** How long audit entries are kept; 365 by default. */
  readonly auditDays?: number
  /** CIDRs and host patterns that may be called although they are private, also by http. */
  readonly allowedTargets?: readonly string[]
  readonly allowHttp?: boolean
  /** An http(s) forward proxy for all deliveries. It resolves names, and must refuse private addresses. */
  readonly proxyUrl?: string | null
  /** The prefix of the signature's header names (default: that of the preset, `webhook` or `svix`). */
  readonly headerPrefix?: string | null
  /** Refuses messages that do not match the JSON Schema of their event type, where one is defined. */
  readonly enforceSchemas?: boolean
  /** Sends endpoints the `traceparent` header of each attempt, if an OpenTelemetry SDK is registered. */
  readonly sendTraceparent?: boolean
  /** The port of this machine that your own server listens on: no endpoint may point there. */
  readonly ownPort?: number | null
  readonly allowUnsafeRetryDelays?: boolean
  /** Counts and times what Posthorn does: from `createMetrics()` of `posthorn/metrics`. */
  readonly meter?: Meter | null
  /** False raises no alarms and sends no operational webhooks. */
  readonly alarms?: boolean
  /**
   * Stores and delivers in a separate thread, so that neither waits for your code. For `sqlite(path)` and `postgres(url)`;
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
