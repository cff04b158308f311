import { z } from 'zod'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, eventTypeName } from '../common.ts'

const schemas = z
  .record(z.string(), z.unknown())
  .nullish()
  .meta({ description: 'JSON Schemas of the payload, by version.' })
const featureFlag = z
  .string()
  .max(256)
  .regex(/^[a-zA-Z0-9\-_.]+$/)
  .nullish()
const description = z.string().max(4096)

export const eventTypeIn = z
  .object({
    name: eventTypeName,
    description,
    schemas,
    archived: z.boolean().default(false),
    deprecated: z.boolean().default(false),
    featureFlag,
  })
  .meta({ id: 'EventTypeIn' })

export const eventTypeUpdate = eventTypeIn.omit({ name: true }).meta({ id: 'EventTypeUpdate' })

/** Fields that are left out stay unchanged; null removes one. */
export const eventTypePatch = z
  .object({
    description: description.optional(),
    schemas,
    archived: z.boolean().optional(),
    deprecated: z.boolean().optional(),
    featureFlag,
  })
  .meta({ id: 'EventTypePatch' })

export const eventTypeOut = z
  .object({
    name: eventTypeName,
    description: z.string(),
    schemas: z.record(z.string(), z.unknown()).nullable(),
    archived: z.boolean(),
    deprecated: z.boolean(),
    featureFlag: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'EventTypeOut' })

export function toEventTypeOut(eventType: EventTypeDefinition, withContent = true): z.input<typeof eventTypeOut> {
  const { name, description: text, archived, deprecated, featureFlag: flag, createdAt, updatedAt } = eventType
  const content = withContent && eventType.schemas !== null ? { ...eventType.schemas } : null
  return {
    name,
    description: text,
    schemas: content,
    archived,
    deprecated,
    featureFlag: flag,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}
