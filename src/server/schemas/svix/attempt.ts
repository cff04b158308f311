import { z } from 'zod'
import { withoutDetails } from '../../../core/delivery/attempt.ts'
import type { Attempt } from '../../../core/delivery/attempt.ts'
import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { AttemptOfDelivery } from '../../../core/ports/directory/deliveries.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime } from '../common.ts'
import { shownEndpoint, toShownEndpoint } from './endpoint.ts'
import { messageOut, shownMessage } from './message.ts'

/** Delivery statuses, by the numbers that clients know. */
export const statusNumbers = { success: 0, pending: 1, fail: 2, sending: 3 } as const
type StatusText = keyof typeof statusNumbers

const statusNumber = z.literal([0, 1, 2, 3]).meta({ id: 'MessageStatus' })
const statusText = z.enum(['success', 'pending', 'fail', 'sending']).meta({ id: 'MessageStatusText' })
const status = { status: statusNumber, statusText }

export const attemptOut = z
  .object({
    id: z.string(),
    msgId: z.string(),
    endpointId: z.string(),
    url: z.string(),
    ...status,
    response: z.string(),
    responseStatusCode: z.int().meta({ description: '0 if there was no answer.' }),
    responseDurationMs: z.int(),
    triggerType: z.literal([0, 1]).meta({ id: 'MessageAttemptTriggerType' }),
    timestamp: dateTime,
    msg: messageOut.optional(),
  })
  .meta({ id: 'MessageAttemptOut' })

export const endpointMessageOut = z
  .object({ ...shownMessage.shape, ...status, nextAttempt: dateTime.nullable() })
  .meta({ id: 'EndpointMessageOut' })
export const messageEndpointOut = z
  .object({ ...shownEndpoint.shape, ...status, nextAttempt: dateTime.nullable() })
  .meta({ id: 'MessageEndpointOut' })

export function toAttemptOut(
  { attempt, delivery }: AttemptOfDelivery,
  withContent: boolean,
): z.input<typeof attemptOut> {
  return {
    id: attempt.id,
    msgId: delivery.messageId,
    endpointId: delivery.endpointId,
    url: attempt.url,
    ...named(succeeded(attempt) ? 'success' : 'fail'),
    response: withContent ? responseOf(attempt) : '',
    responseStatusCode: attempt.statusCode ?? 0,
    responseDurationMs: attempt.tookMs,
    triggerType: isManual(attempt, delivery) ? 1 : 0,
    timestamp: isoTime(attempt.startedAt),
  }
}

/** Customers read these: they must not learn what is behind a name without a public address. Operators see it with the delivery. */
function responseOf({ outcome, responseBody }: Attempt): string {
  return outcome === 'answered' ? (responseBody ?? '') : withoutDetails(responseBody ?? '')
}

/** The status of a delivery: sending means in flight or between two attempts, pending not tried yet. */
export function progressOf(delivery: Delivery): {
  status: 0 | 1 | 2 | 3
  statusText: StatusText
  nextAttempt: string | null
} {
  // An expired lease counts, too: a worker has begun to send it.
  const isWaiting = isOpen(delivery) && delivery.leaseUntil === null && delivery.nextRetryAt !== null
  return {
    ...named(progressText(delivery)),
    nextAttempt: isWaiting && delivery.nextRetryAt !== null ? isoTime(delivery.nextRetryAt) : null,
  }
}

export function toMessageEndpointOut(endpoint: Endpoint, delivery: Delivery): z.input<typeof messageEndpointOut> {
  return { ...toShownEndpoint(endpoint), ...progressOf(delivery) }
}

function progressText(delivery: Delivery): StatusText {
  switch (delivery.status) {
    case 'delivered':
      return 'success'
    case 'dead':
      return 'fail'
    case 'failed':
      return 'sending'
    case 'pending':
      return delivery.leaseUntil !== null || delivery.lastAttemptedAt !== null ? 'sending' : 'pending'
  }
}

function named(text: StatusText) {
  return { status: statusNumbers[text], statusText: text }
}

function succeeded({ statusCode }: Attempt): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300
}

/** Requested by a person: after a requeue, or as a resend, which is marked as one when it is created. */
function isManual({ startedAt }: Attempt, { requeuedAt }: Delivery): boolean {
  return requeuedAt !== null && startedAt >= requeuedAt
}
