import { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDirectory } from '../../../core/ports/directory.ts'
import { changed, isAfter } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

/** The kinds of events that applications can subscribe to. */
export function eventTypeDirectory(state: State): EventTypeDirectory {
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
    listEventTypes: async ({ archived }, { after, limit, order = 'ascending' }) => {
      const shown = [...state.eventTypes.values()].filter(
        (eventType) => (archived || !eventType.archived) && isAfter(eventType.name, after, order),
      )
      return shown
        .toSorted((left, right) => (order === 'ascending' ? 1 : -1) * compareText(left.name, right.name))
        .slice(0, limit)
    },
    updateEventType: async (name, change, now, by) => {
      const eventType = state.eventTypes.get(name)
      if (eventType === undefined) return null
      const next = changed(eventType, { ...change, updatedAt: now })
      state.eventTypes.set(name, next)
      const about = { target: name, at: now, before: eventType, after: next }
      if (by !== undefined) note(state, { action: 'event-type.update', ...about, by })
      return next
    },
    deleteEventType: async (name, now, by) => {
      const before = state.eventTypes.get(name) ?? null
      if (by !== undefined && before !== null)
        note(state, { action: 'event-type.delete', target: name, at: now, by, before })
      return state.eventTypes.delete(name)
    },
  }
}
