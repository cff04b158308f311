import { z } from 'zod'
import type { RecordedOutcome } from '../../../../core/delivery/attempt.ts'
import { willBeDisabledAt } from '../../../../core/endpoint/health.ts'
import { isoTime } from '../../../../core/time.ts'
import type {
  AttemptCount,
  EndpointFigures,
  EndpointOverview,
  LastFailure,
  NextRetry,
} from '../../../../core/ports/figures.ts'
import { channel, dateTime, metadata, timeOrNull } from '../../common.ts'
import { endpointAuthentication, toAuthenticationOut } from '../../svix/endpoint-authentication.ts'

const count = z.int()
export const hourOut = z.object({ at: dateTime, delivered: count, failed: count, dead: count }).meta({ id: 'HourOut' })

const shown = {
  id: z.string(),
  uid: z.string().nullable(),
  applicationId: z.string(),
  applicationUid: z.string().nullable(),
  applicationName: z.string(),
  url: z.string(),
  description: z.string(),
  status: z.enum(['active', 'paused', 'disabled']),
  statusReason: z.string().nullable(),
  statusSince: dateTime,
  types: z.array(z.string()).nullable(),
  channels: z.array(channel).nullable(),
  policy: z.string(),
  ratePerSecond: count.nullable(),
  createdAt: dateTime,
  health: z.object({
    state: z.enum(['healthy', 'degraded', 'breaker_open', 'paused', 'disabled']),
    sentence: z.string(),
    heldUntil: dateTime.nullable(),
    failingSince: dateTime.nullable(),
    willBeDisabledAt: dateTime.nullable().meta({
      description: 'Unless a delivery succeeds before; null while it does not only fail.',
    }),
    failures: count,
  }),
  lastSuccessAt: dateTime.nullable().meta({ description: 'To the minute.' }),
  backlog: count,
  backlogAtLeast: z.boolean(),
}
export const failingEndpointOut = z.object(shown).meta({ id: 'FailingEndpointOut' })
export const endpointOverviewOut = z.object({ ...shown, hours: z.array(hourOut) }).meta({ id: 'EndpointOverview' })
export const endpointDetailOut = z
  .object({
    ...shown,
    hours: z.array(hourOut),
    headers: z.array(z.string()).meta({ description: 'Names only: any value may be a credential.' }),
    authentication: endpointAuthentication.nullable(),
    filter: z.unknown(),
    metadata,
    signature: z.string(),
    secrets: z.array(z.object({ id: z.string(), createdAt: dateTime, expiresAt: dateTime.nullable() })),
    failures: z
      .array(z.object({ outcome: z.string() as z.ZodType<RecordedOutcome>, statusCode: z.int().nullable(), count }))
      .meta({ description: 'Of the newest 1,000 attempts.' }),
    lastError: z
      .object({
        deliveryId: z.string(),
        eventType: z.string(),
        at: dateTime,
        outcome: z.string() as z.ZodType<RecordedOutcome>,
        statusCode: z.int().nullable(),
        errorDetail: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'What failed last, of the newest 1,000 attempts.' }),
    nextRetry: z
      .object({ deliveryId: z.string(), at: dateTime })
      .nullable()
      .meta({ description: 'The retry that is due first; it may be on hold when it is.' }),
  })
  .meta({ id: 'EndpointDetailOut' })

export function toEndpointOverview(overview: EndpointOverview): z.input<typeof endpointOverviewOut> {
  return { ...toFailingEndpoint(overview), hours: toHours(overview.figures) }
}

export function toHours({ hours }: EndpointFigures): z.input<typeof hourOut>[] {
  return hours.map(({ at, delivered, failed, dead }) => ({ at: isoTime(at), delivered, failed, dead }))
}

export function toFailingEndpoint({
  endpoint,
  application,
  health,
  wellness,
  figures,
}: EndpointOverview): z.input<typeof failingEndpointOut> {
  const {
    id,
    uid,
    applicationId,
    url,
    description,
    status,
    statusReason,
    statusSince,
    types,
    channels,
    policy,
    ratePerSecond,
    createdAt,
  } = endpoint
  return {
    id,
    uid,
    applicationId,
    applicationUid: application?.uid ?? null,
    applicationName: application?.name ?? '',
    url,
    description,
    status: status === 'deleted' ? 'disabled' : status,
    statusReason,
    statusSince: isoTime(statusSince),
    types: types.length === 0 ? null : [...types],
    channels: channels.length === 0 ? null : [...channels],
    policy,
    ratePerSecond,
    createdAt: isoTime(createdAt),
    health: {
      ...wellness,
      heldUntil: timeOrNull(health.heldUntil),
      failingSince: timeOrNull(health.failingSince),
      willBeDisabledAt: timeOrNull(status === 'active' ? willBeDisabledAt(health) : null),
      failures: health.failedAttempts,
    },
    lastSuccessAt: timeOrNull(figures.lastSuccessAt),
    backlog: figures.backlog,
    backlogAtLeast: figures.backlogAtLeast,
  }
}

/** How attempts to reach an endpoint failed, and what comes next. */
interface EndpointTrouble {
  readonly failures: readonly AttemptCount[]
  readonly lastFailure: LastFailure | null
  readonly nextRetry: NextRetry | null
}

export function toEndpointDetail(
  overview: EndpointOverview,
  { failures, lastFailure, nextRetry }: EndpointTrouble,
): z.input<typeof endpointDetailOut> {
  const { headers, authentication, filter, metadata: own, signature, secrets } = overview.endpoint
  return {
    ...toEndpointOverview(overview),
    headers: Object.keys(headers),
    authentication: toAuthenticationOut(authentication),
    filter,
    metadata: own,
    signature,
    secrets: secrets.map(({ id, createdAt, expiresAt }) => ({
      id,
      createdAt: isoTime(createdAt),
      expiresAt: timeOrNull(expiresAt),
    })),
    failures: [...failures],
    lastError: lastFailure === null ? null : toLastError(lastFailure),
    nextRetry: nextRetry === null ? null : { deliveryId: nextRetry.deliveryId, at: isoTime(nextRetry.at) },
  }
}

function toLastError(failure: LastFailure): z.input<typeof endpointDetailOut>['lastError'] {
  const { deliveryId, eventType, startedAt, outcome, statusCode, errorDetail } = failure
  return { deliveryId, eventType, at: isoTime(startedAt), outcome, statusCode, errorDetail }
}
