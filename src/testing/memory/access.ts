import { expected } from '../../core/errors.ts'
import { isLive } from '../../core/key.ts'
import type { KeyDirectory, ReplyDirectory } from '../../core/ports.ts'
import { inOrder } from './applications.ts'
import { note } from './state.ts'
import type { State } from './state.ts'

/** API keys, and answers kept under idempotency keys. */
export function accessDirectory(state: State): KeyDirectory & ReplyDirectory {
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
      const own = [...state.apiKeys.values()].filter((key) => key.sessionOf === null && (applicationId === undefined || key.applicationId === applicationId))
      return inOrder(own.filter((key) => isLive(key, livingAt)), page, 'descending')
    },
    revokeKey: async (id, now, by) => {
      const key = state.apiKeys.get(id)
      if (key === undefined) return null
      if (by !== undefined && key.revokedAt === null) note(state, 'key.revoke', id, 1, now, by)
      const revoked = { ...key, revokedAt: key.revokedAt ?? now }
      state.apiKeys.set(id, revoked)
      return revoked
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
