import type { Attempt } from '../../core/attempt.ts'
import { isLeased, isOpen, laneOf, statuses } from '../../core/delivery.ts'
import type { Delivery, Lane, Status } from '../../core/delivery.ts'
import { curlOf } from '../../core/curl.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import type { DeliveryDetail } from '../../core/figures.ts'
import { attemptOf, checkId, makeId } from '../../core/ids.ts'
import type { Message } from '../../core/message.ts'
import { healthy } from '../../core/health.ts'
import type { Actor } from '../../core/audit.ts'
import type { AttemptFilter, AttemptOfDelivery, Page, Scan } from '../../core/directory.ts'
import type { OutgoingRequest } from '../../core/ports.ts'
import type { Cancelled, DeliveryFilter } from '../../core/queue.ts'
import type { RetryPolicy } from '../../core/retry-policy.ts'
import { shownHeaders } from '../../core/sent-request.ts'
import type { SentRequest } from '../../core/sent-request.ts'
import { isoTime } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import { why } from '../../core/why.ts'
import type { Why } from '../../core/why.ts'
import { checkPage } from '../page.ts'
import type { ResourceParts } from '../parts.ts'

/** Who did it, and why: kept in the audit log. */
export interface By {
  readonly by?: string
  readonly reason?: string
}

export interface Deliveries {
  get(id: string): Promise<Delivery>
  /** Newest first; `after` is the id that the last page ended with. */
  list(filter?: DeliveryFilter, page?: Partial<Page>): Promise<Delivery[]>
  /** How many match, counted up to 100,000. */
  count(filter?: DeliveryFilter): Promise<number>
  attempts(id: string): Promise<Attempt[]>
  /** Newest first, of one endpoint or one message; go on after `next` until it is null. */
  listAttempts(filter: AttemptFilter, page?: Partial<Page>): Promise<Scan<AttemptOfDelivery>>
  attempt(attemptId: string): Promise<AttemptOfDelivery>
  /** Erases what is kept of the answer for good. */
  eraseAttempt(attemptId: string): Promise<void>
  /** One sentence that says why a delivery is where it is. */
  why(id: string): Promise<Why>
  /** A delivery with all that belongs to it. */
  detail(id: string): Promise<DeliveryDetail>
  /** A command that sends it by hand, with a fresh signature; notes who asked. */
  curl(id: string, by?: By): Promise<string>
  /** Those of the newest thousand that match whose body holds a text, whatever its case; go on after `next` until it is null. */
  search(filter: DeliveryFilter, text: string, page?: Partial<Page>): Promise<Scan<Delivery> & { readonly searched: number }>
}

export interface Operations {
  /** "Retry now": one delivery, or all dead (or failed) ones that match. A delivered one is sent anew, as a new delivery. */
  requeue(id: string, by?: By): Promise<Delivery>
  requeue(filter: DeliveryFilter, by?: By): Promise<number>
  /** Ends one open delivery, or all that match, as dead: cancelled. */
  cancel(id: string, by?: By): Promise<Delivery>
  cancel(filter: DeliveryFilter, by?: By): Promise<number>
}

export interface DeliveryParts extends ResourceParts {
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaultPolicy: RetryPolicy
  /** What an attempt at that time sends. */
  readonly outgoingRequest: (endpoint: Endpoint, message: Message, now: Instant) => Pick<OutgoingRequest, 'url' | 'headers' | 'body'>
  /** Retries that one endpoint gets per tick. */
  readonly retriesPerTick: number
  readonly expect: (endpointId: string, lane: Lane) => Promise<void>
  readonly tellCancelled: (ended: readonly Cancelled[]) => void
}

const mostCounted = 100_000
const biteRows = 5_000
const mostSearched = 1_000
const bodiesPerRead = 25
/** Retries before one that are worth counting. */
const mostAhead = 10_000

export function makeDeliveries({ ready, directory, queue, clock, policies, defaultPolicy, retriesPerTick, outgoingRequest }: DeliveryParts): Deliveries {
  async function get(id: string): Promise<Delivery> {
    checkId('dlv', id)
    await ready()
    const delivery = await directory.delivery(id)
    if (delivery !== null) return delivery
    throw expected('not_found', 'delivery', 'the id of a delivery that exists', id, 'It may have been pruned.')
  }

  async function attempt(attemptId: string): Promise<AttemptOfDelivery> {
    const named = attemptOf(attemptId)
    if (named === null) throw expected('invalid_id', 'attempt', 'an id of the form atmpt_…', attemptId)
    await ready()
    const delivery = await directory.delivery(named.deliveryId)
    const made = delivery === null ? undefined : (await directory.attempts(delivery.id)).find(({ epoch }) => epoch === named.epoch)
    if (delivery !== null && made !== undefined) return { attempt: made, delivery }
    throw expected('not_found', 'attempt', 'the id of an attempt that exists', attemptId, 'It may have been pruned.')
  }

  async function explained(delivery: Delivery): Promise<Pick<DeliveryDetail, 'why' | 'endpoint' | 'maxAttempts'>> {
    const [[endpoint = null], healths, workers, ahead] = await Promise.all([
      directory.endpointsById([delivery.endpointId]),
      queue.health([delivery.endpointId]),
      isOpen(delivery) ? directory.workers() : [],
      isOpen(delivery) && laneOf(delivery) === 'retries' ? directory.dueBefore(delivery, mostAhead) : 0,
    ])
    const policy = policies.get(delivery.policy) ?? policies.get(endpoint?.policy ?? '') ?? defaultPolicy
    const health = healths.get(delivery.endpointId) ?? healthy
    const waits = workers.flatMap((worker) => worker.waits.filter(({ endpointId }) => endpointId === delivery.endpointId))
    const input = { delivery, endpoint, health, policy, ahead, perTick: retriesPerTick, waits, now: clock.now() }
    return { endpoint, maxAttempts: policy.maxAttempts, why: why(input) }
  }

  /** Made anew as it was made then, from the endpoint of today: of the request only its time and URL are kept. */
  function sentRequest({ startedAt, url }: Attempt, endpoint: Endpoint | null, message: Message | null): SentRequest | null {
    if (endpoint === null || message === null) return null
    // Of an empty body, because the signature is not shown: hashing a megabyte for each attempt would be for nothing.
    const { headers } = outgoingRequest(endpoint, { ...message, body: new Uint8Array() }, startedAt)
    const bytes = message.erasedAt === null ? message.body.length : null
    return { method: 'POST', url, ...shownHeaders(headers, endpoint.signature === 'body' ? endpoint.bodyHeader : null), bytes }
  }

  async function messagesHolding(ids: readonly string[], text: string): Promise<Set<string>> {
    const messages = await directory.messagesById([...new Set(ids)])
    return new Set(messages.filter(({ body }) => Buffer.from(body).toString().toLowerCase().includes(text.toLowerCase())).map(({ id }) => id))
  }

  return {
    get,
    attempt,
    async listAttempts(filter, page = {}) {
      if (filter.endpointId === undefined && filter.messageId === undefined) throw expected('invalid_argument', 'filter', 'for one endpoint or one message', filter)
      await ready()
      return directory.listAttempts(filter, checkPage(page))
    },
    async eraseAttempt(attemptId) {
      const { attempt: made } = await attempt(attemptId)
      await directory.eraseAttempt(made.deliveryId, made.epoch)
    },
    async list(filter = {}, page = {}) {
      checkFilter(filter)
      await ready()
      return directory.listDeliveries(filter, checkPage(page))
    },
    async count(filter = {}) {
      checkFilter(filter)
      await ready()
      return directory.countDeliveries(filter, mostCounted)
    },
    async attempts(id) {
      const { id: deliveryId } = await get(id)
      return directory.attempts(deliveryId)
    },
    why: async (id) => (await explained(await get(id))).why,
    async detail(id) {
      const delivery = await get(id)
      const [told, attempts, application, message] = await Promise.all([
        explained(delivery), directory.attempts(delivery.id), directory.application(delivery.applicationId), directory.message(delivery.messageId),
      ])
      const withRequest = attempts.map((made) => ({ ...made, request: sentRequest(made, told.endpoint, message) }))
      return { delivery, ...told, attempts: withRequest, application, message }
    },
    async curl(id, by = {}) {
      const { messageId, endpointId } = await get(id)
      const [[endpoint = null], message] = await Promise.all([directory.endpointsById([endpointId]), directory.message(messageId)])
      if (endpoint === null || message === null || message.erasedAt !== null) throw expected('not_found', 'body', 'kept, to show it', 'none', 'Its endpoint or its body is gone.')
      const request = outgoingRequest(endpoint, message, clock.now())
      await directory.note({ action: 'reveal', by: actor(by) }, id, clock.now())
      return curlOf(request)
    },
    async search(filter, text, page = {}) {
      checkFilter(filter)
      const { limit, ...from } = checkPage(page)
      await ready()
      const rows = await directory.listDeliveries(filter, { ...from, limit: mostSearched })
      const found: Delivery[] = []
      let searched = 0
      while (searched < rows.length && found.length < limit) {
        const some = rows.slice(searched, searched + bodiesPerRead)
        const holding = await messagesHolding(some.map(({ messageId }) => messageId), text)
        for (const delivery of some) {
          if (found.length === limit) break
          searched += 1
          if (holding.has(delivery.messageId)) found.push(delivery)
        }
      }
      const isOver = searched === rows.length && rows.length < mostSearched
      return { items: found, searched, next: isOver ? null : (rows[searched - 1]?.id ?? null) }
    },
  }
}

export function makeOperations(parts: DeliveryParts, deliveries: Deliveries): Operations {
  const { ready, directory, queue, clock, random } = parts

  async function requeueOne(id: string, by: Actor): Promise<Delivery> {
    const before = await deliveries.get(id)
    await checkBody(before)
    if (before.status === 'delivered') return resend(before, by)
    const now = clock.now()
    if ((await queue.requeue({ filter: { ids: [id] }, now, limit: 1, by })) === 0) throw inFlight(await deliveries.get(id), now)
    const after = await deliveries.get(id)
    await parts.expect(after.endpointId, laneOf(after))
    return after
  }

  async function checkBody({ id, messageId }: Delivery): Promise<void> {
    const message = await directory.message(messageId)
    if (message === null || message.erasedAt === null) return
    throw expected('not_found', 'body', 'kept, to send it again', `erased at ${isoTime(message.erasedAt)}`, `Delivery ${id} stays as it is.`)
  }

  /** A delivered delivery never changes: sending it again is a new delivery of the same message. */
  async function resend({ id, endpointId, messageId, policy, targetUrl }: Delivery, by: Actor): Promise<Delivery> {
    const now = clock.now()
    const added = { id: makeId('dlv', now, random), endpointId, messageId, policy, targetUrl, nextRetryAt: now, leased: false }
    const delivery = await directory.addDelivery(added, now, by)
    if (delivery === null) throw expected('not_found', 'message', 'kept for as long as its deliveries', messageId, `Delivery ${id} cannot be sent again.`)
    await parts.expect(endpointId, laneOf(delivery))
    return delivery
  }

  async function requeueAll(filter: DeliveryFilter, by: Actor): Promise<number> {
    const only = onlyStatus(filter, ['dead'], ['dead', 'failed'], 'requeue')
    return inBites((limit) => queue.requeue({ filter: only, now: clock.now(), limit, by }))
  }

  async function cancelOne(id: string, by: Actor): Promise<Delivery> {
    const before = await deliveries.get(id)
    const ended = await queue.cancel({ filter: { ids: [id] }, as: 'cancelled', now: clock.now(), limit: 1, by })
    if (ended.length === 0) throw expected('wrong_state', 'delivery', 'an open one, pending or failed', `${id}, which is ${before.status}`)
    parts.tellCancelled(ended)
    return deliveries.get(id)
  }

  async function cancelAll(filter: DeliveryFilter, by: Actor): Promise<number> {
    const only = onlyStatus(filter, ['pending', 'failed'], ['pending', 'failed'], 'cancel')
    return inBites(async (limit) => {
      const ended = await queue.cancel({ filter: only, as: 'cancelled', now: clock.now(), limit, by })
      parts.tellCancelled(ended)
      return ended.length
    })
  }

  /** Each bite leaves the filter, because its status changes: the loop ends. */
  async function inBites(bite: (limit: number) => Promise<number>): Promise<number> {
    await ready()
    for (let total = 0; ; ) {
      const count = await bite(biteRows)
      total += count
      if (count < biteRows) return total
    }
  }

  return {
    requeue: ((target: string | DeliveryFilter, by: By = {}) =>
      typeof target === 'string' ? requeueOne(target, actor(by)) : requeueAll(target, actor(by))) as Operations['requeue'],
    cancel: ((target: string | DeliveryFilter, by: By = {}) =>
      typeof target === 'string' ? cancelOne(target, actor(by)) : cancelAll(target, actor(by))) as Operations['cancel'],
  }
}

/** Who did it, as the audit log keeps it. */
export function actor({ by = 'library', reason }: By): Actor {
  return { name: by, reason }
}

function inFlight(delivery: Delivery, now: number): PosthornError {
  const until = isLeased(delivery, now) && delivery.leaseUntil !== null ? ` until ${isoTime(delivery.leaseUntil)}` : ''
  return new PosthornError(
    'in_flight',
    `Expected delivery ${delivery.id} to be at rest, but ${delivery.leaseOwner ?? 'a worker'} is sending it${until}. Wait for the outcome, then requeue.`,
  )
}

/** A filter for bulk work, with the statuses that it may concern. */
export function onlyStatus(filter: DeliveryFilter, usual: readonly Status[], allowed: readonly Status[], verb: string): DeliveryFilter {
  checkFilter(filter)
  const status = filter.status === undefined ? usual : [filter.status].flat()
  for (const one of status) if (!allowed.includes(one)) throw expected('invalid_argument', 'status', `${allowed.join(' or ')} to ${verb} by filter`, one)
  return { ...filter, status }
}

function checkFilter(filter: unknown): asserts filter is DeliveryFilter {
  if (typeof filter !== 'object' || filter === null) throw expected('invalid_argument', 'filter', 'an object of conditions', filter)
  const { status, ids } = filter as DeliveryFilter
  for (const one of status === undefined ? [] : [status].flat()) {
    if (!statuses.includes(one)) throw expected('invalid_argument', 'status', `one of ${statuses.join(', ')}`, one)
  }
  for (const id of ids ?? []) checkId('dlv', id, 'ids')
}
