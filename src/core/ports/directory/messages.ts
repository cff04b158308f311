import type { Message } from '../../message/message.ts'
import type { Instant } from '../../time.ts'
import type { Actor } from '../audit.ts'
import type { Cancelled } from '../queue.ts'
import type { Page, Scan } from './page.ts'

export interface MessageDirectory {
  message(id: string): Promise<Message | null>
  /** The given ids that still exist, in no order. */
  messagesById(ids: readonly string[]): Promise<Message[]>
  /** Within an application, by id or event id. */
  messageOf(applicationId: string, idOrEventId: string): Promise<Message | null>
  /** Ids of messages with exactly this id, event id or idempotency key, in one application or in all; up to a limit. */
  messagesNamed(name: string, applicationId: string | undefined, most: number): Promise<string[]>
  /** How many deliveries of each message have each status; messages without any are left out. */
  messageProgress(messageIds: readonly string[]): Promise<MessageProgress[]>
  /** Newest first. Reads a bounded number of rows: `next` is where to continue, null at the end. */
  listMessages(filter: MessageFilter, page: Page): Promise<Scan<Message>>
  countMessages(filter: MessageFilter, most: number): Promise<number>
  /**
   * Erases the body and its responses for good, and ends open deliveries; returns those, or null if there is no such message. From
   * then on nothing of the message can be requeued, resent or replayed.
   */
  eraseMessage(id: string, now: Instant, by?: Actor): Promise<Cancelled[] | null>
  /** Records when bodies are to be erased, before their messages are stored; `prune` erases them once no delivery is open. */
  expirePayloads(expiries: readonly PayloadExpiry[]): Promise<void>
}

interface PayloadExpiry {
  readonly messageId: string
  readonly eraseAt: Instant
}

/** A message's deliveries so far, by status. */
export interface MessageProgress {
  readonly messageId: string
  readonly pending: number
  readonly failed: number
  readonly delivered: number
  readonly dead: number
}

/** All given conditions must hold. */
export interface MessageFilter {
  /** All applications, if not given. */
  readonly applicationId?: string | undefined
  /** An endpoint: only messages without a delivery to it that can still be sent. */
  readonly missingAt?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly channel?: string | undefined
  /** Part of the id or event id, ignoring case. */
  readonly text?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}
