import { z } from 'zod'
import { recordedOutcomes } from '../../../../core/delivery/attempt.ts'
import type { DetailedAttempt } from '../../../../core/ports/figures.ts'
import type { SentRequest } from '../../../../core/signing/sent-request.ts'
import { isoTime } from '../../../../core/time.ts'
import { dateTime } from '../../common.ts'

const sentRequest = z
  .object({
    method: z.literal('POST'),
    url: z.string(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'As they were sent, if `recorded`; else built again, with what the endpoint has now.' }),
    sensitive: z.array(z.string()).meta({ description: 'Headers that were sent, but whose values are not shown.' }),
    bytes: z.int().nullable().meta({ description: 'The size of the body; null once it is erased.' }),
    recorded: z.boolean().meta({ description: 'True if the headers were recorded when they were sent.' }),
  })
  .meta({ id: 'SentRequestOut' })

const step = z.int().nullable()
const timing = z
  .object({
    dnsMs: step,
    connectMs: step,
    tlsMs: step,
    firstByteMs: step.meta({ description: 'From the connection to the head of the response.' }),
    totalMs: z.int(),
    reused: z.boolean().meta({ description: 'The connection was open already.' }),
  })
  .meta({
    id: 'AttemptTimingOut',
    description: 'Null for a step that was not needed, and for the one that was not completed.',
  })

export const deliveryAttempt = z
  .object({
    id: z.string(),
    number: z.int(),
    startedAt: dateTime,
    tookMs: z.int(),
    outcome: z.enum(recordedOutcomes).meta({
      description:
        'authentication: we could not prove who we are; proxy: our own proxy was away or refused us; interrupted: its worker ended, perhaps before it was sent; started: being sent with care; crashed: its worker ended while sending it.',
    }),
    statusCode: z.int().nullable(),
    response: z.string().nullable(),
    url: z.string(),
    late: z.boolean().meta({ description: 'The lease was lost before the outcome could be marked.' }),
    request: sentRequest.nullable().meta({ description: 'What was sent; null where that is not known any more.' }),
    responseHeaders: z
      .object({ headers: z.record(z.string(), z.string()), sensitive: z.array(z.string()) })
      .nullable()
      .meta({ description: 'Recorded of failed attempts only, without credentials.' }),
    omittedHeaders: z.int().meta({
      description: 'Headers that are left out, because those of request and response together take up to 4 KiB.',
    }),
    timing: timing.nullable().meta({
      description: 'Recorded of failed attempts only. The key of an application sees it of those that were answered.',
    }),
    address: z.string().nullable().meta({
      description: 'The address that was reached, or the only one tried. Never for the key of an application.',
    }),
  })
  .meta({ id: 'DeliveryAttemptOut' })

/** For operators, or for the application that owns the delivery. */
export function toDeliveryAttempt(attempt: DetailedAttempt, isOperator: boolean): z.input<typeof deliveryAttempt> {
  return { ...toAttempt(attempt), ...toDiagnostics(attempt, isOperator) }
}

function toAttempt({
  id,
  number,
  startedAt,
  tookMs,
  outcome,
  statusCode,
  responseBody,
  url,
  late,
  request,
}: DetailedAttempt): Omit<z.input<typeof deliveryAttempt>, keyof ReturnType<typeof toDiagnostics>> {
  return {
    id,
    number,
    startedAt: isoTime(startedAt),
    tookMs,
    outcome,
    statusCode,
    response: responseBody,
    url,
    late,
    request: request === null ? null : toRequest(request),
  }
}

/**
 * A tenant chooses where requests go, so neither an address nor the progress of a failed request may reveal our internal network. If
 * the endpoint answered, the times reveal nothing new.
 */
function toDiagnostics({ outcome, diagnostics }: DetailedAttempt, isOperator: boolean) {
  if (diagnostics === null) return { responseHeaders: null, omittedHeaders: 0, timing: null, address: null }
  const { responseHeaders: response, omittedHeaders, timing: taken, address } = diagnostics
  return {
    responseHeaders:
      response === null ? null : { headers: { ...response.headers }, sensitive: [...response.sensitive] },
    omittedHeaders,
    timing: isOperator || outcome === 'answered' ? taken : null,
    address: isOperator ? address : null,
  }
}

function toRequest({ headers, sensitive, ...same }: SentRequest): z.input<typeof sentRequest> {
  return { ...same, headers: { ...headers }, sensitive: [...sensitive] }
}
