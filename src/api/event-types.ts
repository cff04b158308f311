import { expected } from '../core/errors.ts'
import { newestSchema } from '../core/message/event-type.ts'
import type { EventTypeDefinition } from '../core/message/event-type.ts'
import { checkEventType } from '../core/message/message.ts'
import type { EventTypeChange, EventTypeFilter } from '../core/ports/directory/event-types.ts'
import type { Page } from '../core/ports/directory/page.ts'
import { given } from '../core/given.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { checkOf, checkSchemas, validatorOf } from './send/json-schema.ts'
import type { SchemaCheck } from './send/json-schema.ts'
import { checkChange } from './send/schema-versions.ts'
import type { SchemaChange } from '../core/message/schema-change.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

export type EventTypeInput = Pick<EventTypeDefinition, 'name' | 'description'> & {
  readonly [Name in keyof EventTypeChange]?: EventTypeChange[Name] | undefined
}

/** The known event types, with descriptions and JSON Schemas, for people and for checks. */
export interface EventTypes {
  create(input: EventTypeInput, by?: By): Promise<EventTypeDefinition>
  get(name: string): Promise<EventTypeDefinition>
  /** By name; archived ones only if requested. */
  list(filter?: Partial<EventTypeFilter>, page?: Partial<Page>): Promise<EventTypeDefinition[]>
  update(name: string, change: Omit<Partial<EventTypeInput>, 'name'>, by?: By): Promise<EventTypeDefinition>
  /** Sets one version of the schemas and leaves the others; refused with `wrong_state` if it is no longer equal to `was`. */
  setSchema(name: string, change: SchemaChange, by?: By): Promise<EventTypeDefinition>
  delete(name: string, by?: By): Promise<void>
  /** What is wrong with a payload according to the newest schema of its type; null if nothing, or without a schema. */
  problemWith(name: string, payload: unknown): Promise<string | null>
  /** What is wrong with a JSON Schema or, if it is valid, with a payload. Stores nothing. */
  check(schema: unknown, payload?: unknown): SchemaCheck
}

interface EventTypeParts extends ResourceParts {
  /** Called when a definition was changed here. */
  readonly changed: (name: string) => void
}

const blank = { description: '', schemas: null, archived: false, deprecated: false, featureFlag: null }

export function makeEventTypes({ ready, directory, clock, changed }: EventTypeParts): EventTypes {
  async function get(name: string): Promise<EventTypeDefinition> {
    await ready()
    return found(await directory.eventType(name), name)
  }

  return {
    get,
    async create({ name, ...input }, by = {}) {
      checkEventType(name, 'name')
      const settings = { ...blank, ...checked(input) }
      await ready()
      const now = clock.now()
      const created = await directory.createEventType({ name, ...settings, createdAt: now, updatedAt: now }, actor(by))
      changed(name)
      return created
    },
    async list({ archived = false, text } = {}, page = {}) {
      await ready()
      return directory.listEventTypes({ archived, text }, checkPage(page))
    },
    async update(name, input, by = {}) {
      const change = checked(input)
      await ready()
      const updated = found(await directory.updateEventType(name, change, clock.now(), actor(by)), name)
      changed(name)
      return updated
    },
    async setSchema(name, change, by = {}) {
      checkChange(change)
      await ready()
      const updated = found(await directory.setEventTypeSchema(name, change, clock.now(), actor(by)), name)
      changed(name)
      return updated
    },
    async delete(name, by = {}) {
      await ready()
      if (!(await directory.deleteEventType(name, clock.now(), actor(by)))) throw missing(name)
      changed(name)
    },
    async problemWith(name, payload) {
      await ready()
      const eventType = await directory.eventType(name)
      const schema = eventType === null ? null : newestSchema(eventType)
      return schema === null ? null : validatorOf(schema)(payload)
    },
    check: checkOf,
  }
}

/** Only the given fields: `undefined` means "not given". */
function checked({
  description,
  schemas,
  archived,
  deprecated,
  featureFlag,
}: Omit<Partial<EventTypeInput>, 'name'>): EventTypeChange {
  checkText('description', description, 4096)
  if (schemas !== undefined && schemas !== null) checkSchemas(schemas)
  checkFlag('archived', archived)
  checkFlag('deprecated', deprecated)
  if (featureFlag !== null) checkText('featureFlag', featureFlag, 256)
  return given({ description, schemas, archived, deprecated, featureFlag })
}

function checkText(name: string, value: unknown, mostCharacters: number): void {
  if (value === undefined || (typeof value === 'string' && value.length <= mostCharacters)) return
  throw expected('invalid_argument', name, `text of at most ${mostCharacters} characters`, value)
}

function checkFlag(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw expected('invalid_argument', name, 'true or false', value)
}

function found(eventType: EventTypeDefinition | null, name: string): EventTypeDefinition {
  if (eventType !== null) return eventType
  throw missing(name)
}

function missing(name: string) {
  return expected('not_found', 'event type', 'the name of one that exists', name)
}
