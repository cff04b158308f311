import { z } from 'zod'
import { auditActions } from '../../../core/ports/audit.ts'
import { dateTime } from '../common.ts'

/** What somebody did, when and why. */
export const auditOut = z
  .object({
    id: z.string(),
    at: dateTime,
    actor: z.string().meta({ description: 'The name of the key.' }),
    action: z.enum(auditActions),
    target: z.string(),
    count: z.int(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AuditOut' })
