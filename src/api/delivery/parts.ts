import type { Lane } from '../../core/delivery/delivery.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { Message } from '../../core/message/message.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import type { Cancelled } from '../../core/ports/queue.ts'
import type { RetryPolicy } from '../../core/delivery/retry-policy.ts'
import type { Instant } from '../../core/time.ts'
import type { ResourceParts } from '../parts.ts'

/** What the calls about deliveries depend on. */
export interface DeliveryParts extends ResourceParts {
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaultPolicy: RetryPolicy
  /** The request of an attempt at that time. */
  readonly outgoingRequest: (
    endpoint: Endpoint,
    message: Message,
    now: Instant,
  ) => Pick<OutgoingRequest, 'url' | 'headers' | 'body'>
  /** Retries that one endpoint gets per tick. */
  readonly retriesPerTick: number
  readonly expect: (endpointId: string, lane: Lane) => Promise<void>
  readonly emitCancelled: (ended: readonly Cancelled[]) => void
}
