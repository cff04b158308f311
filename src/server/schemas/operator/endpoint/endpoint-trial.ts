import { z } from 'zod'
import type { PayloadFilter } from '../../../../core/message/payload-filter.ts'
import type { EndpointTimeline, TriedMessage } from '../../../../core/ports/figures.ts'
import type { Bucket } from '../../../../core/ports/overview.ts'
import { isoTime } from '../../../../core/time.ts'
import { dateTime } from '../../common.ts'
import { endpointHeadersPatchIn, endpointPatch } from '../../svix/endpoint.ts'

/** The settings to check, field by field as in a PATCH; headers as in their own PATCH. */
export const endpointCheckIn = endpointPatch
  .extend({ headers: endpointHeadersPatchIn.shape.headers.optional() })
  .meta({ id: 'EndpointCheckIn' })

export const filterTrialIn = z
  .object({
    filter: z
      .custom<PayloadFilter>(
        (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
        'Expected a condition, such as {"path": "total", "greater": 100}.',
      )
      .meta({ type: 'object', description: 'A payload filter, as an endpoint has it.' }),
  })
  .meta({ id: 'FilterTrialIn' })

export const filterTrialOut = z
  .object({
    tried: z.int().meta({ description: 'How many of the newest messages there were to try it on, at most 20.' }),
    matching: z.int(),
    messages: z.array(
      z.object({
        id: z.string(),
        eventId: z.string().nullable(),
        eventType: z.string(),
        createdAt: dateTime,
        matches: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'FilterTrialOut' })

const count = z.int()
const counts = {
  at: dateTime,
  delivered: count,
  failed: count,
  dead: count,
  latencyP50Ms: count.nullable(),
  latencyP95Ms: count.nullable(),
}
export const endpointTimelineOut = z
  .object({
    at: dateTime,
    windowMs: count,
    bucketMs: count,
    total: z.object(counts),
    buckets: z.array(z.object(counts)),
  })
  .meta({ id: 'EndpointTimelineOut' })

export function toFilterTrialOut(tried: readonly TriedMessage[]): z.input<typeof filterTrialOut> {
  return {
    tried: tried.length,
    matching: tried.filter(({ matches }) => matches).length,
    messages: tried.map(({ message: { id, eventId, type, createdAt }, matches }) => ({
      id,
      eventId,
      eventType: type,
      createdAt: isoTime(createdAt),
      matches,
    })),
  }
}

export function toEndpointTimelineOut(timeline: EndpointTimeline): z.input<typeof endpointTimelineOut> {
  const { at, windowMs, bucketMs, total, buckets } = timeline
  return { at: isoTime(at), windowMs, bucketMs, total: toCounts(total), buckets: buckets.map(toCounts) }
}

function toCounts(bucket: Bucket): z.input<typeof endpointTimelineOut>['total'] {
  return { ...bucket, at: isoTime(bucket.at) }
}
