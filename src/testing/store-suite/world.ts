import assert from 'node:assert/strict'
import type { Job } from '../../core/delivery/job.ts'
import type { Delivery, Lane } from '../../core/delivery/delivery.ts'
import type { Application, Endpoint } from '../../core/endpoint/endpoint.ts'
import { makeId } from '../../core/ids.ts'
import type { IdKind } from '../../core/ids.ts'
import type { Message } from '../../core/message/message.ts'
import type { Actor } from '../../core/ports/audit.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { EndpointChange } from '../../core/ports/directory/endpoints.ts'
import type { Store } from '../../core/ports/ports.ts'
import type {
  Claim,
  Envelope,
  Marked,
  NewDelivery,
  PruneRequest,
  Queue,
  SettledAttempt,
} from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import { seededRandom } from '../seeded-random.ts'

/** Noon, on a whole minute: the cases count from here. */
export const start: Instant = Date.UTC(2026, 0, 1, 12)
export const leaseMs = 30_000

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

interface ClaimOptions {
  readonly from: Endpoint | readonly Endpoint[]
  readonly lane?: Lane
  readonly owner?: string
  readonly at?: Instant
  readonly each?: number
  readonly most?: number
  readonly mostBytes?: number
}

export function makeWorld(store: Store): World {
  return new World(store)
}

/** A store with the few helpers that the cases are written in. Without a time, `start` is used. */
export class World {
  readonly store: Store
  readonly queue: Queue
  readonly directory: Directory
  readonly #random = seededRandom(7)

  constructor(store: Store) {
    this.store = store
    this.queue = store.queue
    this.directory = store.directory
  }

  id(kind: IdKind, at: Instant = start): string {
    return makeId(kind, at, this.#random)
  }

  application(change: Partial<Application> = {}): Promise<Application> {
    return this.directory.createApplication(anApplication(this.id('app'), change))
  }

  /** An endpoint, in a new application unless one is named. */
  async endpoint(change: Partial<Endpoint> = {}): Promise<Endpoint> {
    const applicationId = change.applicationId ?? (await this.application()).id
    return this.directory.createEndpoint(anEndpoint(this.id('ep'), this.id('sec'), { ...change, applicationId }))
  }

  /** A message to endpoints of one application, matched against their present version. */
  async envelope(to: readonly Endpoint[], options: SendOptions = {}): Promise<Envelope> {
    const applicationId = options.message?.applicationId ?? to[0]?.applicationId ?? ''
    const { endpointsVersion } = (await this.directory.matching(applicationId)) ?? { endpointsVersion: 0 }
    const { at = start, key: idempotencyKey = null, bodyHash = 'hash', deliveryIds } = options
    const message = aMessage(this.id('msg', at), at, { ...options.message, applicationId })
    const deliveries = to.map((endpoint, index) =>
      aDelivery(deliveryIds?.[index] ?? this.id('dlv', at), endpoint, options),
    )
    return { message, idempotencyKey, bodyHash, endpointsVersion, reliesOn: [], deliveries }
  }

  /** Stores a message to endpoints of one application, and returns its deliveries. */
  async send(to: Endpoint | readonly Endpoint[], options: SendOptions = {}): Promise<string[]> {
    const envelope = await this.envelope([to].flat(), options)
    const request = { owner: options.leasedBy ?? 'nobody', leaseMs, now: options.at ?? start, envelopes: [envelope] }
    assert.deepEqual(await this.queue.enqueue(request), [{ kind: 'stored' }])
    return envelope.deliveries.map((delivery) => delivery.id)
  }

  async sendOne(to: Endpoint, options?: SendOptions): Promise<string> {
    return only(await this.send(to, options))
  }

  claim(options: ClaimOptions): Promise<Claim[]> {
    const { from, lane = 'fresh', owner = 'anna', at = start, each = 100, most = 1000, mostBytes = 2 ** 26 } = options
    const wants = [from].flat().map((endpoint) => ({ endpointId: endpoint.id, lane, most: each, mostBytes }))
    return this.queue.claim({ owner, leaseMs, now: at, most, wants })
  }

  async claimOne(options: ClaimOptions): Promise<Claim> {
    return only(await this.claim(options))
  }

  mark(
    marks: readonly SettledAttempt[],
    { owner = 'anna', at = start }: { owner?: string; at?: Instant } = {},
  ): Promise<Marked[]> {
    return this.queue.mark({ owner, now: at, marks })
  }

  /** Sends, claims and marks: a delivery that has ended, or failed once. */
  async settled(
    to: Endpoint,
    settle: (claim: Pick<Claim, 'delivery'>, at: Instant) => SettledAttempt,
    options: SendOptions = {},
  ): Promise<string> {
    const at = options.at ?? start
    const deliveryId = await this.sendOne(to, { ...options, leasedBy: 'anna' })
    const mark = settle({ delivery: await this.delivery(deliveryId) }, at)
    assert.deepEqual(await this.mark([mark], { at }), ['marked'])
    return deliveryId
  }

  /** One batch from the start; returns how many rows were deleted. Dead letters are kept as long as the rest by default. */
  async prune(request: Pick<PruneRequest, 'before' | 'now' | 'limit'> & Partial<PruneRequest>): Promise<number> {
    return (await this.queue.prune({ deadBefore: request.before, auditBefore: 0, ...request })).count
  }

  /** Deletes an application; returns the job that erases it, or null if nothing is left of it. */
  erase(applicationId: string, at: Instant = start, by?: Actor): Promise<Job | null> {
    const work = { action: 'erase', filter: { applicationId } } as const
    const asked = { id: this.id('job', at), applicationId, work, actor: 'maria', reason: null }
    const begun = {
      state: 'running',
      matching: 0,
      done: 0,
      skipped: 0,
      cursor: null,
      createdAt: at,
      updatedAt: at,
    } as const
    return this.directory.eraseApplication({ ...asked, ...begun }, by)
  }

  async delivery(id: string): Promise<Delivery> {
    const delivery = await this.directory.delivery(id)
    assert.ok(delivery !== null, `the delivery ${id} is there`)
    return delivery
  }

  async change(endpoint: Endpoint, change: EndpointChange, at: Instant = start): Promise<Endpoint> {
    const changed = await this.directory.updateEndpoint(endpoint.id, change, at)
    assert.ok(changed !== null, `the endpoint ${endpoint.id} is there`)
    return changed
  }
}

/** Checks the named fields of a row, and leaves the rest open. */
export function has<Row extends object>(row: Row | null | undefined, wanted: Partial<Row>): void {
  assert.ok(row !== null && row !== undefined, 'there is a row')
  const seen: Partial<Row> = {}
  for (const key in wanted) seen[key] = row[key]
  assert.deepEqual(seen, wanted)
}

/** The only item of a list. */
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

/** The same envelope many times, each a millisecond later and with new ids, without calling the store. */
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
    authentication: null,
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
    traceContext: null,
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
