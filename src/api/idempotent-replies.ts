import type { ReplyDirectory } from '../core/ports/directory/replies.ts'
import type { ResourceParts } from './parts.ts'

/** The responses of the HTTP API that are stored under idempotency keys. */
export function makeReplies({ ready, directory }: ResourceParts): ReplyDirectory {
  return {
    async takeReply(reply) {
      await ready()
      return directory.takeReply(reply)
    },
    async saveReply(reply) {
      await ready()
      return directory.saveReply(reply)
    },
    async dropReply(key) {
      await ready()
      return directory.dropReply(key)
    },
  }
}
