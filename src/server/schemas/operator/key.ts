import { z } from 'zod'
import type { ApiKey } from '../../../core/ports/key.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, timeOrNull, uid } from '../common.ts'

const access = z.enum(['read', 'write'])

export const keyIn = z
  .object({
    name: z.string().min(1).max(256),
    /** The only application it gives access to; without it, the key is for all applications and the server itself. */
    appId: uid.nullish(),
    access: access.default('write'),
    expiresAt: dateTime.nullish(),
  })
  .meta({ id: 'KeyIn' })
export const keyOut = z
  .object({
    id: z.string(),
    name: z.string(),
    appId: z.string().nullable(),
    access,
    hint: z.string(),
    createdAt: dateTime,
    expiresAt: dateTime.nullable(),
  })
  .meta({ id: 'KeyOut' })
export const newKeyOut = keyOut.extend({ token: z.string() }).meta({ id: 'NewKeyOut' })

export function toKeyOut({
  id,
  name,
  applicationId,
  access: allowed,
  hint,
  createdAt,
  expiresAt,
}: ApiKey): z.input<typeof keyOut> {
  return {
    id,
    name,
    appId: applicationId,
    access: allowed,
    hint,
    createdAt: isoTime(createdAt),
    expiresAt: timeOrNull(expiresAt),
  }
}
