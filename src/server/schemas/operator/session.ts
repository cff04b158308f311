import { z } from 'zod'
import type { ApiKey } from '../../../core/ports/key.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, timeOrNull } from '../common.ts'

const access = z.enum(['read', 'write'])

/** The caller. */
export const sessionOut = z
  .object({
    caller: z.object({ name: z.string(), applicationId: z.string().nullable(), access }),
    dev: z.boolean().meta({ description: 'Nobody need sign in: the server answers this machine only.' }),
  })
  .meta({ id: 'SessionOut' })

/** A signed-in browser. */
export const openSessionOut = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'Of the key that it was opened with.' }),
    keyId: z.string(),
    appId: z.string().nullable(),
    access,
    from: z.string().nullable().meta({ description: 'Where it was opened from, such as an IP address.' }),
    createdAt: dateTime,
    expiresAt: dateTime.nullable(),
    current: z.boolean().meta({ description: 'The one that asks.' }),
  })
  .meta({ id: 'OpenSessionOut' })

export const signedOut = z.object({ ended: z.int() }).meta({ id: 'SignedOutOut' })

export function toOpenSession(session: ApiKey, ownId: string): z.input<typeof openSessionOut> {
  const { id, name, sessionOf, applicationId, access: allowed, createdFrom, createdAt, expiresAt } = session
  return {
    id,
    name,
    keyId: sessionOf ?? id,
    appId: applicationId,
    access: allowed,
    from: createdFrom,
    createdAt: isoTime(createdAt),
    expiresAt: timeOrNull(expiresAt),
    current: id === ownId,
  }
}
