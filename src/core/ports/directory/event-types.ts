import type { EventTypeDefinition } from '../../message/event-type.ts'
import type { SchemaChange } from '../../message/schema-change.ts'
import type { Instant } from '../../time.ts'
import type { Actor } from '../audit.ts'
import type { Page } from './page.ts'

export interface EventTypeDirectory {
  /** Refused with `already_exists` if the name is taken. */
  createEventType(eventType: EventTypeDefinition, by?: Actor): Promise<EventTypeDefinition>
  eventType(name: string): Promise<EventTypeDefinition | null>
  /** By name. `after` is a name. */
  listEventTypes(filter: EventTypeFilter, page: Page): Promise<EventTypeDefinition[]>
  updateEventType(name: string, change: EventTypeChange, now: Instant, by?: Actor): Promise<EventTypeDefinition | null>
  /** Changes one version under the lock of the type, so that no concurrent change is lost; refused with `wrong_state` if it has changed since it was read. */
  setEventTypeSchema(name: string, change: SchemaChange, now: Instant, by?: Actor): Promise<EventTypeDefinition | null>
  deleteEventType(name: string, now: Instant, by?: Actor): Promise<boolean>
}

export interface EventTypeFilter {
  /** Whether archived ones are listed, too; with `only`, nothing else is. */
  readonly archived: boolean | 'only'
  /** Part of the name or the description, ignoring case. */
  readonly text?: string | undefined
}

export type EventTypeChange = Partial<Omit<EventTypeDefinition, 'name' | 'createdAt' | 'updatedAt'>>
