import { expected } from '../core/errors.ts'
import { passes } from '../core/endpoint/subscribers.ts'
import { checkId } from '../core/ids.ts'
import type { Message } from '../core/message/message.ts'
import { checkFilter } from '../core/message/payload-filter.ts'
import type { MessageFilter, MessageProgress } from '../core/ports/directory/messages.ts'
import type { Page, Scan } from '../core/ports/directory/page.ts'
import type { TriedMessage } from '../core/ports/figures.ts'
import type { Cancelled } from '../core/ports/queue.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

/** The stored messages. */
export interface Messages {
  /** By its id or event id. */
  get(application: string, idOrEventId: string): Promise<Message>
  /** By its id alone, in any application. */
  withId(id: string): Promise<Message>
  /** Messages with exactly this id, event id or idempotency key, newest first; at most 50. */
  named(name: string, filter?: Pick<MessageFilter, 'applicationId'>): Promise<Message[]>
  /** How many deliveries each of them has, by status; in the given order. */
  progress(messageIds: readonly string[]): Promise<MessageProgress[]>
  /** Newest first, unless the page says otherwise; continue after `next` until it is null. */
  list(filter: MessageFilter, page?: Partial<Page>): Promise<Scan<Message>>
  /** Which of an application's newest messages a payload filter would let through; those with an erased body are left out. */
  tryFilter(application: string, filter: unknown): Promise<TriedMessage[]>
  /** Cancels open deliveries, and erases the body and its responses for good. The rest stays. */
  erase(application: string, idOrEventId: string, by?: By): Promise<void>
}

interface MessageParts extends ResourceParts {
  readonly emitCancelled: (ended: readonly Cancelled[]) => void
}

const batchRows = 1_000
const mostNamed = 50
const noDeliveries = { pending: 0, failed: 0, delivered: 0, dead: 0 }
// Each body is read and parsed, and may be large: as many as people look at.
const mostTried = 20

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

  /** The loop ends, because each batch changes its status and no longer matches the filter. */
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
    ...makeLookups(parts),
    async list(filter, page = {}) {
      await ready()
      return directory.listMessages(filter, checkPage(page))
    },
    tryFilter: (application, filter) => tryFilter(parts, application, filter),
    async erase(application, idOrEventId, by = {}) {
      const { id } = await get(application, idOrEventId)
      parts.emitCancelled((await directory.eraseMessage(id, clock.now(), actor(by))) ?? [])
      // Deliveries requeued at the same moment; from here on none can be.
      await cancelOpen(id)
    },
  }
}

function makeLookups({ ready, directory }: ResourceParts): Pick<Messages, 'withId' | 'named' | 'progress'> {
  return {
    async withId(id) {
      checkId('msg', id)
      await ready()
      const message = await directory.message(id)
      if (message !== null) return message
      throw expected('not_found', 'message', 'the id of a message that exists', id, 'It may have been pruned.')
    },
    async named(name, { applicationId } = {}) {
      await ready()
      const found = await directory.messagesById(await directory.messagesNamed(name, applicationId, mostNamed))
      return found.toSorted((one, other) => (one.id < other.id ? 1 : -1))
    },
    async progress(messageIds) {
      await ready()
      const known = new Map((await directory.messageProgress(messageIds)).map((each) => [each.messageId, each]))
      return messageIds.map((messageId) => known.get(messageId) ?? { messageId, ...noDeliveries })
    },
  }
}

async function tryFilter(parts: MessageParts, application: string, filter: unknown): Promise<TriedMessage[]> {
  checkFilter(filter)
  await parts.ready()
  const applicationId = await applicationIdOf(parts, application)
  const { items } = await parts.directory.listMessages({ applicationId }, { limit: mostTried, after: null })
  return items
    .filter(({ erasedAt }) => erasedAt === null)
    .map(({ id, eventId, type, createdAt, body }) => ({
      message: { id, eventId, type, createdAt },
      matches: passes(filter, body),
    }))
}
