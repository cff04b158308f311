import { firstIdAt } from '../../../core/ids.ts'
import type { EventDirectory } from '../../../core/ports/directory/events.ts'
import { compareText } from '../sorted-list.ts'
import type { State } from '../state.ts'

const watching = 'watching the stream'

/** Events that processes relay to each other while somebody is watching. */
export function eventDirectory(state: State): EventDirectory {
  return {
    watchEvents: async (until) => {
      const before = state.turns.get(watching)?.until ?? 0
      state.turns.set(watching, { owner: 'everyone', until: Math.max(before, until) })
    },
    areEventsWatched: async (now) => (state.turns.get(watching)?.until ?? 0) > now,
    addEvents: async (origin, events, before) => {
      for (const event of events) if (!state.events.has(event.id)) state.events.set(event.id, { origin, event })
      for (const id of state.events.keys()) if (id < firstIdAt('evt', before)) state.events.delete(id)
    },
    eventsFrom: async (from, notOf, limit) => {
      const found = [...state.events.values()]
        .filter(({ origin, event }) => origin !== notOf && event.id >= from)
        .map(({ event }) => event)
      return found.toSorted((one, other) => compareText(one.id, other.id)).slice(0, limit)
    },
  }
}
