import { z } from 'zod'
import type { ApplicationOverview } from '../../../core/ports/figures.ts'
import { dateTime, timeOrNull } from '../common.ts'
import { applicationOut, toApplicationOut } from '../svix/application.ts'
import { hourOut, toHours } from './endpoint/endpoint-overview.ts'

const count = z.int()

export const applicationOverviewOut = applicationOut
  .extend({
    endpoints: count,
    health: z
      .object({ healthy: count, degraded: count, breaker_open: count, paused: count, disabled: count })
      .meta({ description: 'How many endpoints are in each state.' }),
    lastSuccessAt: dateTime.nullable().meta({ description: 'To the minute.' }),
    backlog: count,
    backlogAtLeast: z.boolean(),
    hours: z.array(hourOut).meta({ description: 'The last 24, of all its endpoints together.' }),
    partial: z.boolean().meta({
      description: 'It has more endpoints than the figures tell of: 100 of each in a list, 1,000 of one application.',
    }),
  })
  .meta({ id: 'ApplicationOverview' })

export function toApplicationOverview({
  application,
  endpointCount,
  health,
  figures,
  isPartial,
}: ApplicationOverview): z.input<typeof applicationOverviewOut> {
  return {
    ...toApplicationOut(application),
    endpoints: endpointCount,
    health: { ...health },
    lastSuccessAt: timeOrNull(figures.lastSuccessAt),
    backlog: figures.backlog,
    backlogAtLeast: figures.backlogAtLeast,
    hours: toHours(figures),
    partial: isPartial,
  }
}
