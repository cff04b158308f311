import { z } from 'zod'
import { searchKinds } from '../../../core/ports/search.ts'

export const searchKind = z.enum(searchKinds)

/** Search results, kind by kind. */
export const searchOut = z
  .object({
    data: z.array(
      z
        .object({
          kind: searchKind,
          id: z.string().meta({ description: 'Of an event type its name.' }),
          uid: z.string().nullable().meta({ description: 'Of a message that was found by name its event id.' }),
          name: z.string().meta({
            description:
              'Of an application its name; of an event type, message or delivery the name of the type; of an endpoint its description.',
          }),
          url: z.string().nullable(),
          applicationId: z.string().nullable(),
          applicationName: z.string().nullable(),
          status: z.string().nullable().meta({ description: 'Of an endpoint or a delivery.' }),
        })
        .meta({ id: 'FoundOut' }),
    ),
  })
  .meta({ id: 'SearchOut' })
