import { expected } from '../../../core/errors.ts'
import { isLive } from '../../../core/ports/key.ts'
import type { ApiKey } from '../../../core/ports/key.ts'
import type { KeyDirectory } from '../../../core/ports/directory/keys.ts'
import type { Instant } from '../../../core/time.ts'
import { inOrder } from './applications.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

/** Keys of the HTTP API. */
export function keyDirectory(state: State): KeyDirectory {
  return {
    createKey: async (key, audited) => {
      const isTaken = [...state.apiKeys.values()].some(({ id, hash }) => id === key.id || hash === key.hash)
      if (isTaken) throw expected('already_exists', 'hash', 'that of no other key', key.hint, 'Make another key.')
      state.apiKeys.set(key.id, key)
      const after = key.sessionOf === null ? key : null
      if (audited !== undefined) note(state, { ...audited, ...about(key), at: key.createdAt, after })
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
    listSessions: async ({ of, livingAt }, page) => {
      const own = [...state.apiKeys.values()].filter((key) => isSession(state, key, livingAt))
      return inOrder(
        own.filter(({ sessionOf }) => of === undefined || sessionOf === of),
        page,
        'descending',
      )
    },
    endSessions: async (of, now, audited) => {
      const living = [...state.apiKeys.values()].filter((key) => key.sessionOf === of && isLive(key, now))
      const ended = living.map((key): ApiKey => ({ ...key, revokedAt: now }))
      for (const key of ended) state.apiKeys.set(key.id, key)
      const [first] = ended
      if (audited !== undefined && first !== undefined)
        note(state, { ...audited, ...about(first), at: now, count: ended.length })
      return ended
    },
    revokeKey: async (id, now, audited) => {
      const key = state.apiKeys.get(id)
      if (key === undefined) return null
      if (audited !== undefined && key.revokedAt === null) note(state, { ...audited, ...about(key), at: now })
      const revoked = { ...key, revokedAt: key.revokedAt ?? now }
      state.apiKeys.set(id, revoked)
      return revoked
    },
  }
}

function isSession(state: State, key: ApiKey, at: Instant): boolean {
  if (key.sessionOf === null || !isLive(key, at)) return false
  const owner = state.apiKeys.get(key.sessionOf)
  return owner === undefined || isLive(owner, at)
}

/** For a session, the key it was created with: that is the one people know. */
function about({ id, sessionOf, applicationId }: ApiKey) {
  return { target: sessionOf ?? id, applicationId }
}
