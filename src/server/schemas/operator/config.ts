import { z } from 'zod'

/** The configuration that the server runs with. */
export const configOut = z
  .object({
    settings: z.array(
      z.object({
        name: z.string(),
        env: z.string(),
        value: z.unknown().meta({ description: 'Of a secret only whether it is set.' }),
        origin: z.enum(['environment', 'default', 'file']),
        unit: z.string(),
        sentence: z.string(),
      }),
    ),
    policies: z.array(
      z.object({ name: z.string(), delaysMs: z.array(z.int()), jitter: z.number(), maxAttempts: z.int() }),
    ),
    version: z.string(),
    database: z.enum(['sqlite', 'postgres', 'memory']),
  })
  .meta({ id: 'ConfigOut' })
