import { expected } from '../core/errors.ts'
import type { Message } from '../core/message/message.ts'
import type { MessageFilter, Page, Scan } from '../core/ports/directory.ts'
import type { Cancelled } from '../core/ports/queue.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

/** What was sent, as it is kept. */
export interface Messages {
  /** By its id, or the event id that it was sent with. */
  get(application: string, idOrEventId: string): Promise<Message>
  /** Newest first, unless the page says otherwise; go on after `next` until it is null. */
  list(filter: MessageFilter, page?: Partial<Page>): Promise<Scan<Message>>
  /** Cancels what is still on its way, and erases the body and the answers to it for good. The rest stays. */
  erase(application: string, idOrEventId: string, by?: By): Promise<void>
}

interface MessageParts extends ResourceParts {
  readonly emitCancelled: (ended: readonly Cancelled[]) => void
}

const batchRows = 1_000

export function makeMessages(parts: MessageParts): Messages {
  const { ready, directory, queue, clock } = parts

  async function get(application: string, idOrEventId: string): Promise<Message> {
    await ready()
    const message = await directory.messageOf(await applicationIdOf(parts, application), idOrEventId)
    if (message !== null) return message
    throw expected(
      'not_found',
      'message',
      'the id or event id of a message of this application',
      idOrEventId,
      'It may have been pruned.',
    )
  }

  /** Each batch leaves the filter, because its status changes: the loop ends. */
  async function cancelOpen(messageId: string): Promise<void> {
    const filter = { messageId, status: ['pending', 'failed'] } as const
    for (let ended = batchRows; ended === batchRows;) {
      const cancelled = await queue.cancel({
        filter,
        as: 'cancelled',
        now: clock.now(),
        limit: batchRows,
        by: { name: 'posthorn', reason: 'its message was erased' },
      })
      parts.emitCancelled(cancelled)
      ended = cancelled.length
    }
  }

  return {
    get,
    async list(filter, page = {}) {
      await ready()
      return directory.listMessages(filter, checkPage(page))
    },
    async erase(application, idOrEventId, by = {}) {
      const { id } = await get(application, idOrEventId)
      parts.emitCancelled((await directory.eraseMessage(id, clock.now(), actor(by))) ?? [])
      // What was requeued at the same moment; from here on nothing can be.
      await cancelOpen(id)
    },
  }
}
