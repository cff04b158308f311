import type { ReplyDirectory } from '../../../core/ports/directory/replies.ts'
import type { State } from '../state.ts'

/** Responses stored under idempotency keys. */
export function replyDirectory(state: State): ReplyDirectory {
  return {
    takeReply: async ({ key, requestHash, applicationId = null, now, until }) => {
      const kept = state.replies.get(key)
      if (kept === undefined || kept.expiresAt <= now) {
        state.replies.set(key, { requestHash, applicationId, answer: null, expiresAt: until })
        return { kind: 'taken' }
      }
      if (kept.requestHash !== requestHash) return { kind: 'conflict' }
      return kept.answer === null ? { kind: 'busy' } : { kind: 'kept', ...kept.answer }
    },
    saveReply: async ({ key, status, body, applicationId = null, expiresAt }) => {
      const kept = state.replies.get(key)
      if (kept?.answer !== null) return
      const owner = kept.applicationId ?? applicationId
      state.replies.set(key, { ...kept, applicationId: owner, answer: { status, body }, expiresAt })
    },
    dropReply: async (key) => {
      if (state.replies.get(key)?.answer === null) state.replies.delete(key)
    },
  }
}
