import { z } from 'zod'

/** Who calls. */
export const sessionOut = z
  .object({
    caller: z.object({ name: z.string(), applicationId: z.string().nullable(), access: z.enum(['read', 'write']) }),
    dev: z.boolean().meta({ description: 'Nobody need sign in: the server answers this machine only.' }),
  })
  .meta({ id: 'SessionOut' })
