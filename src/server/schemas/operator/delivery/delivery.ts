import { z } from 'zod'
import type { RecordedOutcome } from '../../../../core/delivery/attempt.ts'
import { isLeased } from '../../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../../core/delivery/delivery.ts'
import type { DeliveryDetail, LastAttempt, ListedDelivery } from '../../../../core/ports/figures.ts'
import type { Message } from '../../../../core/message/message.ts'
import { isoTime } from '../../../../core/time.ts'
import type { Instant } from '../../../../core/time.ts'
import { channel, dateTime, timeOrNull } from '../../common.ts'
import { deliveryAttempt, toDeliveryAttempt } from './delivery-attempt.ts'

export const deliveryStatus = z.enum(['pending', 'failed', 'delivered', 'dead'])
export const deadReason = z.enum(['exhausted', 'cancelled', 'expired', 'crashed', 'gone'])

const shown = {
  id: z.string(),
  messageId: z.string(),
  endpointId: z.string(),
  applicationId: z.string(),
  eventType: z.string(),
  sessionId: z.string().nullable(),
  targetUrl: z.string(),
  status: deliveryStatus,
  reason: deadReason.nullable(),
  attemptCount: z.int(),
  nextRetryAt: dateTime.nullable(),
  lastAttemptedAt: dateTime.nullable(),
  errorDetail: z.string().nullable(),
  policy: z.string(),
  inFlight: z.boolean(),
  leaseOwner: z.string().nullable(),
  leaseUntil: dateTime.nullable(),
  requeuedAt: dateTime.nullable(),
  createdAt: dateTime,
  updatedAt: dateTime,
}
export const deliveryOut = z.object(shown).meta({ id: 'DeliveryOut' })
export const listedDeliveryOut = z
  .object({
    ...shown,
    applicationName: z.string(),
    lastAttempt: z
      .object({
        outcome: z.string() as z.ZodType<RecordedOutcome>,
        statusCode: z.int().nullable(),
        tookMs: z.int(),
      })
      .nullable()
      .meta({ description: 'Null before the first.' }),
  })
  .meta({ id: 'ListedDeliveryOut' })

/** A message with its body, for display. */
export const shownMessage = {
  id: z.string(),
  eventId: z.string().nullable(),
  eventType: z.string(),
  contentType: z.string(),
  channels: z.array(channel).nullable(),
  createdAt: dateTime,
  bytes: z.int(),
  payload: z.string().meta({ description: 'As text, up to 256 KiB of it; empty if it is none.' }),
  truncated: z.boolean(),
  binary: z.boolean(),
  erased: z.boolean(),
}

export const deliveryDetailOut = z
  .object({
    ...shown,
    why: z.object({ code: z.string(), sentence: z.string() }).meta({ description: 'Why it is where it is.' }),
    maxAttempts: z.int(),
    attempts: z.array(deliveryAttempt),
    endpoint: z.object({
      id: z.string(),
      uid: z.string().nullable(),
      url: z.string(),
      status: z.string(),
      applicationId: z.string(),
    }),
    application: z.object({ id: z.string(), uid: z.string().nullable(), name: z.string() }),
    message: z.object(shownMessage),
  })
  .meta({ id: 'DeliveryDetailOut' })

const mostPayloadBytes = 256 * 1024

export function toDeliveryOut(delivery: Delivery, now: Instant): z.input<typeof deliveryOut> {
  const {
    leaseEpoch: _epoch,
    interruptions: _interruptions,
    crashCount: _crashes,
    nextRetryAt,
    lastAttemptedAt,
    leaseUntil,
    requeuedAt,
    createdAt,
    updatedAt,
    ...same
  } = delivery
  return {
    ...same,
    nextRetryAt: timeOrNull(nextRetryAt),
    lastAttemptedAt: timeOrNull(lastAttemptedAt),
    inFlight: isLeased(delivery, now),
    leaseUntil: timeOrNull(leaseUntil),
    requeuedAt: timeOrNull(requeuedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

export function toListedDeliveryOut(listed: ListedDelivery, now: Instant): z.input<typeof listedDeliveryOut> {
  const { delivery, application, lastAttempt } = listed
  return {
    ...toDeliveryOut(delivery, now),
    applicationName: application?.name ?? '',
    lastAttempt: lastAttempt === null ? null : toLastAttempt(lastAttempt),
  }
}

function toLastAttempt({ outcome, statusCode, tookMs }: LastAttempt): z.input<typeof listedDeliveryOut>['lastAttempt'] {
  return { outcome, statusCode, tookMs }
}

/** For operators, or for the application that owns the delivery. */
export function toDeliveryDetailOut(
  detail: DeliveryDetail,
  now: Instant,
  isOperator: boolean,
): z.input<typeof deliveryDetailOut> {
  const { delivery, why, maxAttempts, attempts, application, message } = detail
  return {
    ...toDeliveryOut(delivery, now),
    why: { ...why },
    maxAttempts,
    attempts: attempts.map((attempt) => toDeliveryAttempt(attempt, isOperator)),
    endpoint: toEndpoint(detail),
    application: { id: delivery.applicationId, uid: application?.uid ?? null, name: application?.name ?? '' },
    message: message === null ? prunedMessage(delivery) : toMessage(message),
  }
}

/** If the endpoint has been pruned, the delivery still has its id and URL. */
function toEndpoint({
  endpoint,
  delivery: { endpointId, applicationId, targetUrl },
}: DeliveryDetail): z.input<typeof deliveryDetailOut>['endpoint'] {
  if (endpoint === null) return { id: endpointId, uid: null, url: targetUrl, status: 'deleted', applicationId }
  const { uid, url, status } = endpoint
  return { id: endpointId, uid, url, status, applicationId }
}

export function toMessage({
  id,
  eventId,
  type,
  contentType,
  channels,
  createdAt,
  body,
  erasedAt,
}: Message): z.input<typeof deliveryDetailOut>['message'] {
  const text = textOf(body)
  return {
    id,
    eventId,
    eventType: type,
    contentType,
    channels: channels.length === 0 ? null : [...channels],
    createdAt: isoTime(createdAt),
    bytes: body.length,
    payload: text ?? '',
    truncated: body.length > mostPayloadBytes,
    binary: text === null,
    erased: erasedAt !== null,
  }
}

function prunedMessage({ messageId, eventType, createdAt }: Delivery): z.input<typeof deliveryDetailOut>['message'] {
  const nothing = {
    eventId: null,
    contentType: '',
    channels: null,
    bytes: 0,
    payload: '',
    truncated: false,
    binary: false,
    erased: true,
  }
  return { id: messageId, eventType, createdAt: isoTime(createdAt), ...nothing }
}

/** Null if the body is not text. A character split by the cut is left out. */
function textOf(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.subarray(0, mostPayloadBytes), {
      stream: body.length > mostPayloadBytes,
    })
  } catch {
    return null
  }
}
