import { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import { withSchema } from '../../../core/message/schema-change.ts'
import type { EventTypeDirectory, EventTypeFilter } from '../../../core/ports/directory/event-types.ts'
import { changed, isAfter } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

/** The event types that endpoints can subscribe to. */
export function eventTypeDirectory(state: State): EventTypeDirectory {
  function update(
    name: string,
    change: (eventType: EventTypeDefinition) => Partial<EventTypeDefinition>,
    by: Actor | undefined,
  ): EventTypeDefinition | null {
    const before = state.eventTypes.get(name)
    if (before === undefined) return null
    const after = changed(before, change(before))
    state.eventTypes.set(name, after)
    const about = { target: name, at: after.updatedAt, before, after }
    if (by !== undefined) note(state, { action: 'event-type.update', ...about, by })
    return after
  }

  return {
    createEventType: async (eventType, by) => {
      if (state.eventTypes.has(eventType.name)) {
        throw new PosthornError(
          'already_exists',
          `Expected \`name\` to be free, got "${eventType.name}", which is in use. Update the event type there is.`,
        )
      }
      state.eventTypes.set(eventType.name, eventType)
      const about = { target: eventType.name, at: eventType.createdAt, after: eventType }
      if (by !== undefined) note(state, { action: 'event-type.create', ...about, by })
      return eventType
    },
    eventType: async (name) => state.eventTypes.get(name) ?? null,
    listEventTypes: async (filter, { after, limit, order = 'ascending' }) => {
      const shown = [...state.eventTypes.values()].filter(
        (eventType) => picks(filter, eventType) && isAfter(eventType.name, after, order),
      )
      return shown
        .toSorted((left, right) => (order === 'ascending' ? 1 : -1) * compareText(left.name, right.name))
        .slice(0, limit)
    },
    updateEventType: async (name, change, now, by) => update(name, () => ({ ...change, updatedAt: now }), by),
    setEventTypeSchema: async (name, change, now, by) =>
      update(name, ({ schemas }) => ({ schemas: withSchema(schemas ?? {}, change), updatedAt: now }), by),
    deleteEventType: async (name, now, by) => {
      const before = state.eventTypes.get(name) ?? null
      if (by !== undefined && before !== null)
        note(state, { action: 'event-type.delete', target: name, at: now, by, before })
      return state.eventTypes.delete(name)
    },
  }
}

function picks({ archived, text = '' }: EventTypeFilter, eventType: EventTypeDefinition): boolean {
  if (archived !== true && eventType.archived !== (archived === 'only')) return false
  return `${eventType.name} ${eventType.description}`.toLowerCase().includes(text.toLowerCase())
}
