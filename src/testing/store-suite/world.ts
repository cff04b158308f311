import assert from 'node:assert/strict'
import type { Delivery, Lane } from '../../core/delivery/delivery.ts'
import type { Application, Endpoint } from '../../core/endpoint/endpoint.ts'
import { makeId } from '../../core/ids.ts'
import type { IdKind } from '../../core/ids.ts'
import type { Message } from '../../core/message/message.ts'
import type { Directory, EndpointChange } from '../../core/ports/directory.ts'
import type { Store } from '../../core/ports/ports.ts'
import type { Claim, Envelope, Marked, NewDelivery, Queue, SettledAttempt } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import { seededRandom } from '../seeded-random.ts'

/** Noon, on a whole minute: the cases count from here. */
export const start: Instant = Date.UTC(2026, 0, 1, 12)
export const leaseMs = 30_000

/** A store with the few sentences that the cases are written in. Where no time is given, it is `start`. */
export interface World {
  readonly store: Store
  readonly queue: Queue
  readonly directory: Directory
  id(kind: IdKind, at?: Instant): string
  application(change?: Partial<Application>): Promise<Application>
  /** An endpoint, of an application of its own unless one is named. */
  endpoint(change?: Partial<Endpoint>): Promise<Endpoint>
  /** A message to endpoints of one application, matched against the version of now. */
  envelope(to: readonly Endpoint[], options?: SendOptions): Promise<Envelope>
  /** Stores a message to endpoints of one application, and answers with its deliveries. */
  send(to: Endpoint | readonly Endpoint[], options?: SendOptions): Promise<string[]>
  sendOne(to: Endpoint, options?: SendOptions): Promise<string>
  claim(options: ClaimOptions): Promise<Claim[]>
  claimOne(options: ClaimOptions): Promise<Claim>
  mark(marks: readonly SettledAttempt[], options?: { owner?: string; at?: Instant }): Promise<Marked[]>
  /** Sends, claims and marks: a delivery that has come to an end, or failed once. */
  settled(
    to: Endpoint,
    settle: (claim: Pick<Claim, 'delivery'>, at: Instant) => SettledAttempt,
    options?: SendOptions,
  ): Promise<string>
  delivery(id: string): Promise<Delivery>
  change(endpoint: Endpoint, change: EndpointChange, at?: Instant): Promise<Endpoint>
}

export interface SendOptions {
  readonly at?: Instant
  readonly dueAt?: Instant
  readonly leasedBy?: string
  readonly key?: string
  readonly bodyHash?: string
  readonly message?: Partial<Message>
  readonly deliveryIds?: readonly string[]
  readonly policy?: string
}

export interface ClaimOptions {
  readonly from: Endpoint | readonly Endpoint[]
  readonly lane?: Lane
  readonly owner?: string
  readonly at?: Instant
  readonly each?: number
  readonly most?: number
  readonly mostBytes?: number
}

export function makeWorld(store: Store): World {
  const { queue, directory } = store
  const random = seededRandom(7)
  const id: World['id'] = (kind, at = start) => makeId(kind, at, random)

  const world: World = {
    store,
    queue,
    directory,
    id,
    application: (change = {}) => directory.createApplication(anApplication(id('app'), change)),
    async endpoint(change = {}) {
      const applicationId = change.applicationId ?? (await world.application()).id
      return directory.createEndpoint(anEndpoint(id('ep'), id('sec'), { ...change, applicationId }))
    },
    async envelope(to, options = {}) {
      const applicationId = options.message?.applicationId ?? to[0]?.applicationId ?? ''
      const matching = await directory.matching(applicationId)
      const { at = start, key = null, bodyHash = 'hash' } = options
      const message = aMessage(id('msg', at), at, { ...options.message, applicationId })
      const deliveries = to.map((endpoint, index) =>
        aDelivery(options.deliveryIds?.[index] ?? id('dlv', at), endpoint, options),
      )
      return { message, idempotencyKey: key, bodyHash, endpointsVersion: matching?.endpointsVersion ?? 0, deliveries }
    },
    async send(to, options = {}) {
      const envelope = await world.envelope([to].flat(), options)
      const request = { owner: options.leasedBy ?? 'nobody', leaseMs, now: options.at ?? start, envelopes: [envelope] }
      assert.deepEqual(await queue.enqueue(request), [{ kind: 'stored' }])
      return envelope.deliveries.map((delivery) => delivery.id)
    },
    sendOne: async (to, options) => only(await world.send(to, options)),
    claim({ from, lane = 'fresh', owner = 'anna', at = start, each = 100, most = 1000, mostBytes = 2 ** 26 }) {
      const wants = [from].flat().map((endpoint) => ({ endpointId: endpoint.id, lane, most: each, mostBytes }))
      return queue.claim({ owner, leaseMs, now: at, most, wants })
    },
    claimOne: async (options) => only(await world.claim(options)),
    mark: (marks, { owner = 'anna', at = start } = {}) => queue.mark({ owner, now: at, marks }),
    async settled(to, settle, options = {}) {
      const at = options.at ?? start
      const deliveryId = await world.sendOne(to, { ...options, leasedBy: 'anna' })
      assert.deepEqual(await world.mark([settle({ delivery: await world.delivery(deliveryId) }, at)], { at }), [
        'marked',
      ])
      return deliveryId
    },
    async delivery(deliveryId) {
      const delivery = await directory.delivery(deliveryId)
      assert.ok(delivery !== null, `the delivery ${deliveryId} is there`)
      return delivery
    },
    async change(endpoint, change, at = start) {
      const changed = await directory.updateEndpoint(endpoint.id, change, at)
      assert.ok(changed !== null, `the endpoint ${endpoint.id} is there`)
      return changed
    },
  }
  return world
}

/** Checks the named fields of a row, and leaves the rest open. */
export function has<Row extends object>(row: Row | null | undefined, wanted: Partial<Row>): void {
  assert.ok(row !== null && row !== undefined, 'there is a row')
  const seen: Partial<Row> = {}
  for (const key in wanted) seen[key] = row[key]
  assert.deepEqual(seen, wanted)
}

/** The one item of a list. */
export function only<Item>(items: readonly Item[]): Item {
  const [item] = items
  assert.equal(items.length, 1)
  assert.ok(item !== undefined)
  return item
}

/** Several at the same time, by their numbers from 0. */
export function times<Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

/** The same envelope many times over, each a millisecond later and with ids of its own; the store is not asked for any of them. */
export function copies(world: World, envelope: Envelope, count: number): Envelope[] {
  return Array.from({ length: count }, (_, index) => {
    const at = envelope.message.createdAt + index
    const deliveries = envelope.deliveries.map((delivery) => ({ ...delivery, id: world.id('dlv', at) }))
    return { ...envelope, message: { ...envelope.message, id: world.id('msg', at), createdAt: at }, deliveries }
  })
}

export function ids(claims: readonly Claim[]): string[] {
  return claims.map(({ delivery }) => delivery.id)
}

export function leaseOf({ delivery }: Claim): { deliveryId: string; epoch: number } {
  return { deliveryId: delivery.id, epoch: delivery.leaseEpoch }
}

export function anApplication(id: string, change: Partial<Application> = {}): Application {
  return {
    id,
    uid: null,
    name: 'Acme',
    metadata: {},
    ratePerSecond: null,
    createdAt: start,
    updatedAt: start,
    ...change,
  }
}

export function anEndpoint(
  id: string,
  secretId: string,
  change: Partial<Endpoint> & Pick<Endpoint, 'applicationId'>,
): Endpoint {
  return {
    id,
    uid: null,
    url: `https://example.com/${id}`,
    description: '',
    status: 'active',
    statusReason: null,
    statusSince: start,
    types: [],
    channels: [],
    filter: null,
    headers: {},
    metadata: {},
    policy: 'standard',
    signature: 'standard',
    bodyHeader: 'x-webhook-signature',
    ratePerSecond: null,
    secrets: [
      {
        id: secretId,
        value: `whsec_${Buffer.from(secretId.repeat(2).slice(0, 32)).toString('base64')}`,
        createdAt: start,
        expiresAt: null,
      },
    ],
    createdAt: start,
    updatedAt: start,
    ...change,
  }
}

function aMessage(id: string, createdAt: Instant, change: Partial<Message> & Pick<Message, 'applicationId'>): Message {
  return {
    id,
    type: 'invoice.paid',
    eventId: null,
    body: Buffer.from(`{"of":"${id}"}`),
    contentType: 'application/json',
    sessionId: null,
    channels: [],
    createdAt,
    erasedAt: null,
    ...change,
  }
}

function aDelivery(id: string, endpoint: Endpoint, options: SendOptions): NewDelivery {
  const at = options.at ?? start
  return {
    id,
    endpointId: endpoint.id,
    targetUrl: endpoint.url,
    policy: options.policy ?? endpoint.policy,
    nextRetryAt: options.dueAt ?? at,
    leased: options.leasedBy !== undefined,
  }
}
