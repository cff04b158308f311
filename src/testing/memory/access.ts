import { expected } from '../../core/errors.ts'
import { isLive } from '../../core/key.ts'
import type { KeyDirectory, ReplyDirectory } from '../../core/ports.ts'
import { inOrder } from './applications.ts'
import type { State } from './state.ts'

/** API keys, and answers kept under idempotency keys. */
export function accessDirectory(state: State): KeyDirectory & ReplyDirectory {
  return {
    createKey: async (key) => {
      const isTaken = [...state.apiKeys.values()].some(({ id, hash }) => id === key.id || hash === key.hash)
      if (isTaken) throw expected('already_exists', 'hash', 'that of no other key', key.hint, 'Make another key.')
      state.apiKeys.set(key.id, key)
      return key
    },
    keyByHash: async (hash) => [...state.apiKeys.values()].find((key) => key.hash === hash) ?? null,
    listKeys: async ({ applicationId, livingAt }, page) => {
      const own = [...state.apiKeys.values()].filter((key) => applicationId === undefined || key.applicationId === applicationId)
      return inOrder(own.filter((key) => isLive(key, livingAt)), page, 'descending')
    },
    revokeKey: async (id, now) => {
      const key = state.apiKeys.get(id)
      if (key === undefined) return null
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
