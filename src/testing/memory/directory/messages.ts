import type { Attempt } from '../../../core/delivery/attempt.ts'
import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Status } from '../../../core/delivery/delivery.ts'
import { attemptId } from '../../../core/ids.ts'
import type { Message } from '../../../core/message/message.ts'
import type { AttemptFilter, AttemptOfDelivery, DeliveryDirectory } from '../../../core/ports/directory/deliveries.ts'
import type { MessageDirectory, MessageFilter, MessageProgress } from '../../../core/ports/directory/messages.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import type { LastAttempt } from '../../../core/ports/figures.ts'
import { isAfter } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { keyName } from '../queue/enqueue.ts'
import { cancelled, endedOf } from '../queue/queue.ts'
import { eraseBody, isVisible, note, replace, select } from '../state.ts'
import type { KeptAttempt, State } from '../state.ts'

/** The messages that people read. */
export function messageDirectory(state: State): MessageDirectory {
  return {
    message: async (id) => withId(state, id) ?? null,
    messagesById: async (ids) => [...new Set(ids)].flatMap((id) => withId(state, id) ?? []),
    messageOf: async (applicationId, idOrEventId) => {
      const own = visibleMessages(state).filter((message) => message.applicationId === applicationId)
      return own.find(({ id }) => id === idOrEventId) ?? own.find(({ eventId }) => eventId === idOrEventId) ?? null
    },
    messagesNamed: async (name, applicationId, most) =>
      visibleMessages(state)
        .filter((message) => applicationId === undefined || message.applicationId === applicationId)
        .filter((message) => isNamed(state, message, name))
        .map(({ id }) => id)
        .toSorted((left, right) => compareText(right, left))
        .slice(0, most),
    messageProgress: async (messageIds) => [...new Set(messageIds)].flatMap((id) => progressOf(state, id) ?? []),
    listMessages: async (filter, page) =>
      scan(
        visibleMessages(state).filter((message) => picks(filter, message) && isMissing(state, filter, message)),
        ({ id }) => id,
        page,
      ),
    countMessages: async (filter, most) =>
      Math.min(
        visibleMessages(state).filter((message) => picks(filter, message) && isMissing(state, filter, message)).length,
        most,
      ),
    eraseMessage: async (id, now, by) => {
      const message = state.messages.get(id)
      if (message === undefined) return null
      const open = [...select(state, { messageId: id })].filter(isOpen)
      for (const delivery of open) replace(state, delivery, cancelled(delivery, 'cancelled', now))
      eraseBody(state, id, now)
      const { applicationId } = message
      if (by !== undefined) note(state, { action: 'message.erase', target: id, applicationId, at: now, by })
      return open.map(endedOf)
    },
    expirePayloads: async (expiries) => {
      for (const { messageId, eraseAt } of expiries) state.payloadExpiries.set(messageId, eraseAt)
    },
  }
}

/** The attempts that people read. */
export function attemptDirectory(
  state: State,
): Pick<DeliveryDirectory, 'attempts' | 'lastAttempts' | 'listAttempts' | 'eraseAttempt'> {
  return {
    attempts: async (deliveryId) => attemptsOf(state, deliveryId),
    lastAttempts: async (deliveryIds) =>
      deliveryIds.flatMap((id) => attemptsOf(state, id).slice(-1).map(lastAttemptOf)),
    listAttempts: async (filter, page) => {
      const { endpointId, messageId } = filter
      const found = [...select(state, { endpointId, messageId })].filter((delivery) => isVisible(state, delivery))
      const all = found.flatMap((delivery) => attemptsOf(state, delivery.id).map((attempt) => ({ attempt, delivery })))
      const picked = all.filter((item) => picksAttempt(filter, item, state.messages.get(item.delivery.messageId)))
      return scan(picked, ({ attempt }) => attempt.id, page)
    },
    eraseAttempt: async ({ deliveryId, epoch, now, by }) => {
      const kept = state.attempts.get(deliveryId) ?? []
      const applicationId = state.deliveries.get(deliveryId)?.applicationId ?? null
      if (!kept.some((attempt) => attempt.epoch === epoch)) return false
      const target = attemptId(deliveryId, epoch)
      if (by !== undefined) note(state, { action: 'attempt.erase', target, applicationId, at: now, by })
      state.attempts.set(
        deliveryId,
        kept.map((attempt) =>
          attempt.epoch === epoch ? { ...attempt, responseBody: null, diagnostics: null } : attempt,
        ),
      )
      return true
    },
  }
}

function withId(state: State, id: string): Message | undefined {
  const message = state.messages.get(id)
  return message !== undefined && isVisible(state, message) ? message : undefined
}

/** Without those of applications that are being erased. */
function visibleMessages(state: State): Message[] {
  return [...state.messages.values()].filter((message) => isVisible(state, message))
}

function isNamed(state: State, { id, eventId, applicationId }: Message, name: string): boolean {
  return id === name || eventId === name || state.keys.get(keyName(applicationId, name))?.messageId === id
}

function progressOf(state: State, messageId: string): MessageProgress | null {
  const own = [...select(state, { messageId })]
  const having = (status: Status): number => own.filter((delivery) => delivery.status === status).length
  if (own.length === 0) return null
  return {
    messageId,
    pending: having('pending'),
    failed: having('failed'),
    delivered: having('delivered'),
    dead: having('dead'),
  }
}

function picks(filter: MessageFilter, message: Message): boolean {
  const { applicationId, text = '' } = filter
  return (
    (applicationId === undefined || message.applicationId === applicationId) &&
    `${message.id} ${message.eventId ?? ''}`.toLowerCase().includes(text.toLowerCase()) &&
    (filter.types === undefined || filter.types.includes(message.type)) &&
    (filter.channel === undefined || message.channels.includes(filter.channel)) &&
    isWithin(filter, message.createdAt)
  )
}

function isMissing(state: State, { missingAt }: MessageFilter, { id: messageId, erasedAt }: Message): boolean {
  if (missingAt === undefined) return true
  return erasedAt === null && [...select(state, { messageId, endpointId: missingAt })].length === 0
}

function picksAttempt(
  filter: AttemptFilter,
  { attempt, delivery }: AttemptOfDelivery,
  message: Message | undefined,
): boolean {
  const statusClass = statusClassOf(attempt)
  return (
    (filter.succeeded === undefined || filter.succeeded === (statusClass === 200)) &&
    (filter.statusCodeClass === undefined || filter.statusCodeClass === statusClass) &&
    (filter.types === undefined || filter.types.includes(delivery.eventType)) &&
    (filter.channel === undefined || message?.channels.includes(filter.channel) === true) &&
    isWithin(filter, attempt.startedAt)
  )
}

/** 200 for 204; 0 if there was no response. */
function statusClassOf({ statusCode }: Attempt): number {
  return statusCode === null ? 0 : Math.floor(statusCode / 100) * 100
}

function isWithin({ since, until }: Pick<MessageFilter, 'since' | 'until'>, at: number): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

/** A list in memory is read in one go. */
function scan<Item>(items: readonly Item[], idOf: (item: Item) => string, page: Page): Scan<Item> {
  const order = page.order ?? 'descending'
  const rest = items.filter((item) => isAfter(idOf(item), page.after, order))
  const sorted = rest.toSorted((left, right) => (order === 'ascending' ? 1 : -1) * compareText(idOf(left), idOf(right)))
  const shown = sorted.slice(0, page.limit)
  const last = shown.at(-1)
  return { items: shown, next: sorted.length > shown.length && last !== undefined ? idOf(last) : null }
}

/** In order of their epochs, which is the order in which they began. */
function lastAttemptOf({ deliveryId, startedAt, tookMs, outcome, statusCode }: Attempt): LastAttempt {
  return { deliveryId, startedAt, tookMs, outcome, statusCode }
}

function attemptsOf(state: State, deliveryId: string): Attempt[] {
  const kept = (state.attempts.get(deliveryId) ?? []).toSorted((left, right) => left.epoch - right.epoch)
  return kept.map((attempt, index) => publicAttempt(deliveryId, attempt, index + 1))
}

function publicAttempt(deliveryId: string, attempt: KeptAttempt, number: number): Attempt {
  return { ...attempt, id: attemptId(deliveryId, attempt.epoch), deliveryId, number }
}
