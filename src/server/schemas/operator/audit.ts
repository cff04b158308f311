import { z } from 'zod'
import { auditActions } from '../../../core/ports/audit.ts'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime } from '../common.ts'

export const auditAction = z.enum(auditActions)

const fields = z.record(z.string(), z.unknown()).nullable()

/** Who did what, when, from where and why. */
export const auditOut = z
  .object({
    id: z.string(),
    at: dateTime,
    actor: z.string().meta({ description: 'The name of the key, or the user of the library or the command line.' }),
    actorId: z.string().nullable().meta({ description: 'The id of the key.' }),
    from: z.string().nullable().meta({
      description: 'An IP address, `portal` and one, `cli` or `library`; null for what Posthorn did by itself.',
    }),
    action: auditAction,
    target: z.string(),
    applicationId: z.string().nullable(),
    count: z.int(),
    reason: z.string().nullable(),
    before: fields.meta({ description: 'What was changed, as it was. Credentials are masked.' }),
    after: fields.meta({ description: 'The same, as it was from then on.' }),
  })
  .meta({ id: 'AuditOut' })

export function toAuditOut(entry: AuditEntry): z.input<typeof auditOut> {
  return { ...entry, at: isoTime(entry.at) }
}
