import { z } from 'zod'
import { dateTime } from '../../common.ts'
import { deadReason } from './delivery.ts'

/** Dead letters grouped by endpoint, reason and error. */
export const deadLettersOut = z
  .object({
    data: z.array(
      z.object({
        endpointId: z.string(),
        applicationId: z.string(),
        url: z.string(),
        reason: deadReason,
        errorDetail: z.string().nullable().meta({ description: 'Its first line.' }),
        count: z.int(),
        newestAt: dateTime,
      }),
    ),
    grouped: z.int().meta({ description: 'How many of the newest are grouped in `data`.' }),
    counted: z.int(),
    atLeast: z.boolean().meta({ description: 'There are more than were counted.' }),
  })
  .meta({ id: 'DeadLettersOut' })
