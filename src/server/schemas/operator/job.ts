import { z } from 'zod'
import { progressOf } from '../../../core/delivery/job.ts'
import type { Job, JobWork } from '../../../core/delivery/job.ts'
import { isoTime } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { dateTime, eventTypeName, uid, freeText } from '../common.ts'
import { deadReason, deliveryStatus } from './delivery/delivery.ts'

const deliveryFilterIn = z
  .strictObject({
    ids: z.array(z.string()).min(1).max(10_000).optional(),
    status: z.union([deliveryStatus, z.array(deliveryStatus)]).optional(),
    reason: deadReason.optional(),
    endpoint: uid.optional(),
    application: uid.optional(),
    eventType: eventTypeName.optional(),
    message: uid.optional(),
    since: dateTime.optional(),
    until: dateTime.optional(),
  })
  .meta({ id: 'DeliveryFilterIn' })
const replayFilterIn = z
  .strictObject({ endpoint: uid, since: dateTime, until: dateTime.optional(), application: uid.optional() })
  .meta({ id: 'ReplayFilterIn' })

const about = {
  reason: freeText(1000).optional(),
  dryRun: z.boolean().optional().meta({ description: 'Only counts.' }),
}
export const jobIn = z
  .discriminatedUnion(
    'action',
    [
      z.object({ action: z.literal('requeue'), filter: deliveryFilterIn, ...about }),
      z.object({ action: z.literal('cancel'), filter: deliveryFilterIn, ...about }),
      z.object({ action: z.literal('replay'), filter: replayFilterIn, ...about }),
    ],
    'Expected `action` to be "requeue", "cancel" or "replay".',
  )
  .meta({ id: 'JobIn' })

export const jobOut = z
  .object({
    id: z.string(),
    action: z.enum(['requeue', 'cancel', 'replay', 'erase']),
    filter: z.record(z.string(), z.unknown()),
    applicationId: z.string().nullable(),
    state: z.enum(['running', 'paused', 'done', 'cancelled']),
    matching: z.int().meta({ description: 'Deliveries that it concerns; of a replay, those that it is to make.' }),
    done: z.int().meta({ description: 'Of these, how many were dealt with; of a replay, how many were made.' }),
    skipped: z.int().meta({
      description:
        'Those that could not be sent again: their endpoint was deleted, their payload erased, or somebody was sending them.',
    }),
    ratePerSecond: z.number().nullable(),
    etaSeconds: z.int().nullable(),
    actor: z.string(),
    reason: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'JobOut' })

export const erasureIn = z.object(about).meta({ id: 'ErasureIn' })
export const erasableOut = z
  .object({ endpoints: z.int(), messages: z.int(), deliveries: z.int() })
  .meta({ id: 'ErasableOut', description: 'Each counted up to a million.' })

export const matchingOut = z.object({ matching: z.int() }).meta({ id: 'MatchingOut' })

export function toJobOut(job: Job): z.input<typeof jobOut> {
  const { id, work, applicationId, state, matching, done, skipped, actor, reason, createdAt, updatedAt } = job
  return {
    id,
    action: work.action,
    filter: shownFilter(work),
    applicationId,
    state,
    matching,
    done,
    skipped,
    ...progressOf(job),
    actor,
    reason,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

/** The filter, with the names that callers use. */
function shownFilter({ action, filter }: JobWork): Record<string, unknown> {
  if (action === 'erase') return { application: filter.applicationId }
  const times = { since: timeOf(filter.since), until: timeOf(filter.until) }
  if (action === 'replay') return { endpoint: filter.endpointId, ...times }
  const { ids, status, reason, endpointId, applicationId, type, messageId } = filter
  const all = {
    ids,
    status,
    reason,
    endpoint: endpointId,
    application: applicationId,
    eventType: type,
    message: messageId,
    ...times,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function timeOf(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : isoTime(at)
}
