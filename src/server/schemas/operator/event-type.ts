import { z } from 'zod'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, eventTypeName } from '../common.ts'

export const eventTypeOverviewOut = z
  .object({
    name: eventTypeName,
    description: z.string(),
    versions: z.int().meta({ description: 'How many versions of its schema there are.' }),
    archived: z.boolean(),
    deprecated: z.boolean(),
    featureFlag: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'EventTypeOverview' })

export const schemaCheckIn = z
  .object({
    schema: z.unknown().meta({ description: 'What should be a JSON Schema.' }),
    example: z.unknown().optional().meta({ description: 'What should be allowed by it; not checked if not given.' }),
  })
  .meta({ id: 'SchemaCheckIn' })

const problem = z
  .object({
    pointer: z.string().meta({ description: 'Where, as a JSON pointer; empty where no place can be named.' }),
    message: z.string(),
  })
  .nullable()

export const schemaCheckOut = z
  .object({
    problem: problem.meta({ description: 'What is wrong with the schema; null if nothing is.' }),
    exampleProblem: problem.meta({
      description: 'What the schema has against the example; null if nothing, or if the schema is none.',
    }),
  })
  .meta({ id: 'SchemaCheckOut' })

export const schemaVersionIn = z
  .object({
    schema: z.unknown().meta({ description: 'A JSON Schema; null takes the version away.' }),
    was: z.unknown().optional().meta({
      description:
        'The version as it was read, null if there was none. If it is another by now, nothing is changed (409).',
    }),
  })
  .meta({ id: 'SchemaVersionIn' })

export function toEventTypeOverview(eventType: EventTypeDefinition): z.input<typeof eventTypeOverviewOut> {
  const { name, description, schemas, archived, deprecated, featureFlag, createdAt, updatedAt } = eventType
  return {
    name,
    description,
    versions: Object.keys(schemas ?? {}).length,
    archived,
    deprecated,
    featureFlag,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}
