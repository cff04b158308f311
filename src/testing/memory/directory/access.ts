import { expected } from '../../../core/errors.ts'
import { isLive } from '../../../core/ports/key.ts'
import { firstIdAt } from '../../../core/ids.ts'
import type { EventDirectory, KeyDirectory, ReplyDirectory } from '../../../core/ports/directory.ts'
import { inOrder } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

const watching = 'watching the stream'

/** API keys, answers kept under idempotency keys, and what processes tell each other. */
export function accessDirectory(state: State): KeyDirectory & ReplyDirectory & EventDirectory {
  return {
    createKey: async (key, by) => {
      const isTaken = [...state.apiKeys.values()].some(({ id, hash }) => id === key.id || hash === key.hash)
      if (isTaken) throw expected('already_exists', 'hash', 'that of no other key', key.hint, 'Make another key.')
      state.apiKeys.set(key.id, key)
      if (by !== undefined) note(state, 'key.create', key.id, 1, key.createdAt, by)
      return key
    },
    key: async (id) => state.apiKeys.get(id) ?? null,
    keyByHash: async (hash) => [...state.apiKeys.values()].find((key) => key.hash === hash) ?? null,
    listKeys: async ({ applicationId, livingAt }, page) => {
      const own = [...state.apiKeys.values()].filter(
        (key) => key.sessionOf === null && (applicationId === undefined || key.applicationId === applicationId),
      )
      return inOrder(
        own.filter((key) => isLive(key, livingAt)),
        page,
        'descending',
      )
    },
    revokeKey: async (id, now, by) => {
      const key = state.apiKeys.get(id)
      if (key === undefined) return null
      if (by !== undefined && key.revokedAt === null) note(state, 'key.revoke', id, 1, now, by)
      const revoked = { ...key, revokedAt: key.revokedAt ?? now }
      state.apiKeys.set(id, revoked)
      return revoked
    },

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

    takeReply: async ({ key, requestHash, now, until }) => {
      const kept = state.replies.get(key)
      if (kept === undefined || kept.expiresAt <= now) {
        state.replies.set(key, { requestHash, answer: null, expiresAt: until })
        return { kind: 'taken' }
      }
      if (kept.requestHash !== requestHash) return { kind: 'conflict' }
      return kept.answer === null ? { kind: 'busy' } : { kind: 'kept', ...kept.answer }
    },
    saveReply: async ({ key, status, body, expiresAt }) => {
      const kept = state.replies.get(key)
      if (kept?.answer === null) state.replies.set(key, { ...kept, answer: { status, body }, expiresAt })
    },
    dropReply: async (key) => {
      if (state.replies.get(key)?.answer === null) state.replies.delete(key)
    },
  }
}
