import { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDirectory } from '../../../core/ports/directory.ts'
import { changed, isAfter } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import type { State } from '../state.ts'

/** The kinds of events that applications can subscribe to. */
export function eventTypeDirectory(state: State): EventTypeDirectory {
  return {
    createEventType: async (eventType) => {
      if (state.eventTypes.has(eventType.name)) {
        throw new PosthornError(
          'already_exists',
          `Expected \`name\` to be free, got "${eventType.name}", which is in use. Update the event type there is.`,
        )
      }
      state.eventTypes.set(eventType.name, eventType)
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
    updateEventType: async (name, change, now) => {
      const eventType = state.eventTypes.get(name)
      if (eventType === undefined) return null
      const next = changed(eventType, { ...change, updatedAt: now })
      state.eventTypes.set(name, next)
      return next
    },
    deleteEventType: async (name) => state.eventTypes.delete(name),
  }
}
