import { isOpen } from '../../../src/core/delivery/delivery.ts'
import { succeeded } from '../../../src/core/delivery/attempt.ts'
import type { Message } from '../../../src/core/message/message.ts'
import { rememberedBody } from '../world/bodies.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'

/** What was accepted, what was refused, and what became of it. */
export const messageInvariants: readonly Invariant[] = [
  { name: 'what was accepted is stored, with all its deliveries', check: acceptedIsStored },
  { name: 'everything ends once all has healed', check: everythingEnds },
  { name: 'delivered means that the endpoint answered 2xx', check: deliveredWasReceived },
  { name: 'what was refused is not stored', check: refusedIsNotStored },
  { name: 'a message has one delivery for each endpoint', check: oneDeliveryEach },
  { name: 'a key stands for one message', check: oneMessageForKey },
  { name: 'every send of a message has its id and bytes', check: sameBytes },
  { name: 'a transaction sends if it commits, and only then', check: transactions },
  { name: 'nothing is left of an application that was deleted', check: nothingIsLeft },
]

function* acceptedIsStored({ history, state }: World): Iterable<Finding> {
  const counts = new Map<string, number>()
  for (const { messageId } of state.deliveries.values()) counts.set(messageId, (counts.get(messageId) ?? 0) + 1)
  for (const { answer, tx, body, application } of history.sends) {
    if (answer?.kind !== 'sent' || (tx !== null && tx.committedAt === null) || history.erased.has(application)) continue
    if (!state.messages.has(answer.id))
      yield { detail: `message ${body} was accepted as ${answer.id} and is not there` }
    const deliveries = counts.get(answer.id) ?? 0
    if (deliveries < answer.deliveries)
      yield { detail: `message ${body} has ${deliveries} of ${answer.deliveries} deliveries` }
  }
}

function* everythingEnds({ state }: World): Iterable<Finding> {
  for (const delivery of state.deliveries.values()) {
    if (isOpen(delivery))
      yield {
        detail: `delivery ${delivery.id} is ${delivery.status} after ${delivery.attemptCount} attempts, due ${delivery.nextRetryAt}, leased by ${delivery.leaseOwner === null ? 'nobody' : 'a worker'}`,
      }
  }
}

function* deliveredWasReceived({ history, state }: World): Iterable<Finding> {
  const received = new Set(
    history.calls
      .filter(({ answered }) => succeeded(answered))
      .map(({ messageId, endpointId }) => `${messageId} ${endpointId}`),
  )
  for (const { id, status, messageId, endpointId } of state.deliveries.values()) {
    if (status === 'delivered' && !received.has(`${messageId} ${endpointId}`))
      yield { detail: `delivery ${id} is delivered, but its endpoint has no receipt` }
  }
}

/** Only "unknown" may mean that it was stored. */
function* refusedIsNotStored(world: World): Iterable<Finding> {
  const stored = messagesByBody(world)
  for (const { body, answer, at, idempotencyKey } of world.history.sends) {
    if (answer?.kind !== 'refused' || answer.code === 'outcome_unknown' || idempotencyKey !== null) continue
    if (stored.has(body))
      yield {
        kind: answer.code,
        detail: `the send of ${body} at ${secondsAt(world, at)} was refused with ${answer.code}, but it is stored`,
      }
  }
}

function* oneDeliveryEach({ history }: World): Iterable<Finding> {
  const resent = new Set(
    history.rows
      .filter(({ before, method }) => before === null && method === 'addDelivery')
      .map(({ after }) => after.id),
  )
  for (const [key, ids] of history.deliveriesOf) {
    const sent = ids.filter((id) => !resent.has(id))
    if (sent.length > 1) yield { detail: `message and endpoint ${key} have ${sent.length} deliveries` }
  }
}

function* oneMessageForKey(world: World): Iterable<Finding> {
  const keyed = new Set(
    world.history.sends.flatMap(({ idempotencyKey, tx, body }) =>
      idempotencyKey === null || tx !== null ? [] : [body],
    ),
  )
  for (const [body, messages] of messagesByBody(world)) {
    if (keyed.has(body) && messages.length > 1)
      yield { detail: `${messages.length} messages were stored under the key of ${body}` }
  }
}

function* sameBytes(world: World): Iterable<Finding> {
  const { history, state } = world
  const given = bodiesGiven(world)
  const bodies = new Map(Array.from(state.messages.values(), (message) => [message.id, bodyOf(message, given)]))
  for (const { messageId, body } of history.calls) {
    // Of a message that is gone with its application what was given is known all the same.
    const wanted = bodies.get(messageId) ?? (history.erased.size > 0 ? given.get(messageId) : undefined)
    if (wanted !== body)
      yield {
        detail: `a request for message ${messageId} carried ${body} instead of ${bodies.get(messageId) ?? 'nothing'}`,
      }
  }
}

function* transactions(world: World): Iterable<Finding> {
  const stored = messagesByBody(world)
  const committed = new Set(
    world.history.sends.flatMap(({ tx, body }) => (tx !== null && tx.committedAt !== null ? [body] : [])),
  )
  for (const { tx, body, answer, application } of world.history.sends) {
    if (tx === null) continue
    if (!committed.has(body) && stored.has(body))
      yield { detail: `${body} is stored although its transaction did not commit` }
    const mayBeGone = world.history.erased.has(application)
    if (tx.committedAt !== null && answer?.kind === 'sent' && !stored.has(body) && !mayBeGone)
      yield { detail: `${body} is not stored although its transaction committed` }
  }
}

/** But for what a transaction that was open then has stored since: it is hidden, and swept once an hour. */
function* nothingIsLeft({ state, history }: World): Iterable<Finding> {
  const late = new Set(
    history.sends.flatMap(({ tx, answer }) => (tx !== null && answer?.kind === 'sent' ? [answer.id] : [])),
  )
  for (const [applicationId, { erasedAt }] of state.erasures) {
    if (erasedAt === null) yield { kind: 'unfinished', detail: `the erasure of ${applicationId} has not ended` }
    for (const message of state.messages.values())
      if (message.applicationId === applicationId && !late.has(message.id))
        yield { detail: `message ${message.id} of ${applicationId} is still there` }
    for (const delivery of state.deliveries.values())
      if (delivery.applicationId === applicationId && !late.has(delivery.messageId))
        yield { detail: `delivery ${delivery.id} of ${applicationId} is still there` }
  }
  for (const deliveryId of state.attempts.keys())
    if (!state.deliveries.has(deliveryId)) yield { kind: 'attempts', detail: `attempts of ${deliveryId} outlive it` }
}

function messagesByBody(world: World): Map<string, Message[]> {
  const byBody = new Map<string, Message[]>()
  const given = bodiesGiven(world)
  for (const message of world.state.messages.values()) {
    const body = bodyOf(message, given)
    byBody.set(body, [...(byBody.get(body) ?? []), message])
  }
  return byBody
}

/** What was given to `send`, by the message that came of it; where nobody was told of that, what left first. */
function bodiesGiven({ history }: World): Map<string, string> {
  const left = history.calls.flatMap(({ messageId, body }): [string, string][] =>
    body === '' ? [] : [[messageId, body]],
  )
  const told = history.sends.flatMap(({ answer, body }): [string, string][] =>
    answer?.kind === 'sent' ? [[answer.id, body]] : [],
  )
  return new Map([...left.toReversed(), ...told])
}

/** A body that was erased is the one that was given: it must never leave empty. */
function bodyOf({ id, body, erasedAt }: Message, given: ReadonlyMap<string, string>): string {
  return erasedAt === null ? rememberedBody(body) : (given.get(id) ?? 'what was erased')
}
