import type { Attempt } from '../../core/delivery/attempt.ts'
import type { SignatureReport } from '../../core/signing/debug/report.ts'
import type { Delivery } from '../../core/delivery/delivery.ts'
import { expected } from '../../core/errors.ts'
import type { DeliveryDetail } from '../../core/ports/figures.ts'
import { attemptOf, checkId } from '../../core/ids.ts'
import type { AttemptFilter, AttemptOfDelivery } from '../../core/ports/directory/deliveries.ts'
import type { Page, Scan } from '../../core/ports/directory/page.ts'
import type { DeliveryFilter } from '../../core/ports/queue.ts'
import type { Why } from '../../core/delivery/why.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import { checkPage } from '../input/page.ts'
import type { ResourceParts } from '../parts.ts'
import { curlFor, detailOf, explain } from './detail.ts'
import { checkSignature } from './signature.ts'
import type { GivenSignature } from './signature.ts'
import { checkFilter } from './filter.ts'
import type { DeliveryParts } from './parts.ts'
import { searchPayloads } from './search.ts'

export interface Deliveries {
  get(id: string): Promise<Delivery>
  /** Newest first; `after` is the last id of the previous page. */
  list(filter?: DeliveryFilter, page?: Partial<Page>): Promise<Delivery[]>
  /** How many match, counted up to 100,000 or to the given number. */
  count(filter?: DeliveryFilter, most?: number): Promise<number>
  attempts(id: string): Promise<Attempt[]>
  /** Newest first, of one endpoint or one message; continue after `next` until it is null. */
  listAttempts(filter: AttemptFilter, page?: Partial<Page>): Promise<Scan<AttemptOfDelivery>>
  attempt(attemptId: string): Promise<AttemptOfDelivery>
  /** Erases the stored response for good. */
  eraseAttempt(attemptId: string, by?: By): Promise<void>
  /** One sentence that says why a delivery is where it is. */
  why(id: string): Promise<Why>
  /** A delivery with everything that belongs to it. */
  detail(id: string): Promise<DeliveryDetail>
  /** A command that sends it by hand, with a fresh signature; records who asked. */
  curl(id: string, by?: By): Promise<string>
  /** The differences between a signature that somebody has, with or without headers, and what was sent. Reveals no secret. */
  checkSignature(id: string, given: GivenSignature): Promise<SignatureReport>
  /** The matching deliveries among the newest thousand whose body contains a text, ignoring case; continue after `next` until it is null. */
  search(
    filter: DeliveryFilter,
    text: string,
    page?: Partial<Page>,
  ): Promise<Scan<Delivery> & { readonly searched: number }>
}

const mostCounted = 100_000

export function makeDeliveries(parts: DeliveryParts): Deliveries {
  const { ready, directory, clock } = parts
  const get = (id: string): Promise<Delivery> => deliveryWithId(parts, id)
  const attempt = (attemptId: string): Promise<AttemptOfDelivery> => attemptWithId(parts, attemptId)

  return {
    get,
    attempt,
    async listAttempts(filter, page = {}) {
      if (filter.endpointId === undefined && filter.messageId === undefined)
        throw expected('invalid_argument', 'filter', 'for one endpoint or one message', filter)
      await ready()
      return directory.listAttempts(filter, checkPage(page))
    },
    async eraseAttempt(attemptId, by = {}) {
      const { deliveryId, epoch } = (await attempt(attemptId)).attempt
      await directory.eraseAttempt({ deliveryId, epoch, now: clock.now(), by: actor(by) })
    },
    async list(filter = {}, page = {}) {
      checkFilter(filter)
      await ready()
      return directory.listDeliveries(filter, checkPage(page))
    },
    async count(filter = {}, most = mostCounted) {
      checkFilter(filter)
      await ready()
      return directory.countDeliveries(filter, Math.min(most, mostCounted))
    },
    async attempts(id) {
      const { id: deliveryId } = await get(id)
      return directory.attempts(deliveryId)
    },
    why: async (id) => (await explain(parts, await get(id))).why,
    detail: async (id) => detailOf(parts, await get(id)),
    curl: async (id, by = {}) => curlFor(parts, await get(id), by),
    checkSignature: async (id, given) => checkSignature(parts, await get(id), given),
    async search(filter, text, page = {}) {
      checkFilter(filter)
      const checked = checkPage(page)
      await ready()
      return searchPayloads(directory, filter, text, checked)
    },
  }
}

async function deliveryWithId({ ready, directory }: ResourceParts, id: string): Promise<Delivery> {
  checkId('dlv', id)
  await ready()
  const delivery = await directory.delivery(id)
  if (delivery !== null) return delivery
  throw expected('not_found', 'delivery', 'the id of a delivery that exists', id, 'It may have been pruned.')
}

async function attemptWithId({ ready, directory }: ResourceParts, attemptId: string): Promise<AttemptOfDelivery> {
  const named = attemptOf(attemptId)
  if (named === null) throw expected('invalid_id', 'attempt', 'an id of the form atmpt_…', attemptId)
  await ready()
  const delivery = await directory.delivery(named.deliveryId)
  const attempt =
    delivery === null ? undefined : (await directory.attempts(delivery.id)).find(({ epoch }) => epoch === named.epoch)
  if (delivery !== null && attempt !== undefined) return { attempt, delivery }
  throw expected('not_found', 'attempt', 'the id of an attempt that exists', attemptId, 'It may have been pruned.')
}
