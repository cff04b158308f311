import * as fc from 'fast-check'
import { lanes } from '../../src/core/delivery/delivery.ts'
import type { Delivery, Lane } from '../../src/core/delivery/delivery.ts'
import type { Endpoint } from '../../src/core/endpoint/endpoint.ts'
import type { EndpointChange } from '../../src/core/ports/directory/endpoints.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import { makeId } from '../../src/core/ids.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Claim, DeliveryFilter, Envelope, KnownHealth, Queue } from '../../src/core/ports/queue.ts'
import { day, minute } from '../../src/core/time.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { dead, deadAs, delivered, failed, failedUntil, unsent } from '../../src/testing/store-suite/queue/marks.ts'
import { anApplication, anEndpoint, leaseMs, start } from '../../src/testing/store-suite/world.ts'

/** Something to ask of a store, not yet in its own ids: these depend on what was asked before. */
export type Operation =
  | { readonly kind: 'enqueue'; readonly owner: string; readonly envelopes: readonly EnvelopePlan[] }
  | { readonly kind: 'claim'; readonly owner: string; readonly wants: readonly WantPlan[]; readonly most: number }
  | { readonly kind: 'renew' | 'release' | 'start'; readonly owner: string; readonly leases: readonly LeasePlan[] }
  | {
      readonly kind: 'mark'
      readonly owner: string
      readonly leases: readonly LeasePlan[]
      readonly ends: readonly End[]
      readonly begunBefore: number
    }
  | { readonly kind: 'edit'; readonly endpoint: number; readonly to: Edit }
  | { readonly kind: 'disable'; readonly endpoint: number; readonly generation: number }
  | { readonly kind: 'learn'; readonly endpoint: number; readonly generation: number }
  | {
      readonly kind: 'tokens'
      readonly asks: readonly { readonly limit: string; readonly perSecond: number; readonly most: number }[]
      readonly back: number
    }
  | { readonly kind: 'requeue' | 'cancel'; readonly which: Which; readonly place: number }
  | { readonly kind: 'prune'; readonly ageMs: number }
  | { readonly kind: 'advance'; readonly ms: number }

interface EnvelopePlan {
  readonly to: readonly number[]
  readonly key: string | null
  readonly eventId: string | null
  readonly traceContext: string | null
  readonly bodyHash: string
  readonly leased: boolean
  readonly delayMs: number
  readonly stale: boolean
  /** By how much the versions of the healths that it relies on are off; null if it relies on none. */
  readonly reliesOff: number | null
}

interface WantPlan {
  readonly endpoint: number
  readonly lane: Lane
  readonly most: number
  readonly mostBytes: number
}

/** A delivery by its place among the rows, leased ones first; and by how much the epoch named is behind. */
interface LeasePlan {
  readonly place: number
  readonly behind: number
}

type End = keyof typeof ends
type Edit = 'url' | 'pause' | 'disable' | 'enable' | 'other'
type Which = 'one' | 'endpoint' | 'dead' | 'open' | 'old' | 'all'

/** What the stores have in common while they are asked. */
export interface World {
  now: number
  /** As the model has them. */
  rows: readonly Delivery[]
  readonly endpoints: readonly Endpoint[]
  readonly random: () => number
  /** Makes the application and its endpoints. */
  settle(store: Store): Promise<void>
}

const ends = {
  delivered,
  failed,
  dueAtOnce: failedUntil(null),
  dead,
  crashed: deadAs('crashed'),
  unsent: (...claim: Parameters<typeof dead>) => unsent(dead(...claim)),
}

const edits: Readonly<Record<Edit, (now: number) => EndpointChange>> = {
  url: (now) => ({ url: `https://example.com/${now}` }),
  pause: () => ({ status: 'paused' }),
  disable: () => ({ status: 'disabled', statusReason: 'a person' }),
  enable: () => ({ status: 'active', statusReason: null }),
  other: (now) => ({ description: String(now) }),
}

const owner = fc.constantFrom('anna', 'bert')
const places = fc.nat({ max: 7 })
const leases = fc.array(fc.record<LeasePlan>({ place: places, behind: fc.constantFrom(0, 0, 0, 0, 1) }), {
  minLength: 1,
  maxLength: 5,
})

/** Sequences in which most leases are live, and some are lost, late or another's. */
export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('enqueue' as const),
        owner,
        envelopes: fc.array(envelopePlan(), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('claim' as const),
        owner,
        wants: fc.uniqueArray(wantPlan(), {
          minLength: 1,
          maxLength: 6,
          selector: ({ endpoint, lane }) => `${endpoint} ${lane}`,
        }),
        most: fc.constantFrom(1, 3, 100),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('renew' as const, 'release' as const, 'start' as const),
        owner,
        leases,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('mark' as const),
        owner,
        leases,
        ends: fc.array(fc.constantFrom<End>('delivered', 'failed', 'dueAtOnce', 'dead', 'crashed', 'unsent'), {
          minLength: 5,
          maxLength: 5,
        }),
        begunBefore: fc.constantFrom(0, 0, 0, 1),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('requeue' as const, 'cancel' as const),
        which: fc.constantFrom<Which>('one', 'one', 'endpoint', 'dead', 'open', 'old', 'all'),
        place: places,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        endpoint: fc.nat({ max: 2 }),
        to: fc.constantFrom<Edit>('url', 'pause', 'disable', 'enable', 'other'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('disable' as const, 'learn' as const),
        endpoint: fc.nat({ max: 2 }),
        generation: fc.nat({ max: 2 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('tokens' as const),
        asks: fc.array(
          fc.record({
            limit: fc.constantFrom('ep_b', 'ep_a'),
            perSecond: fc.constantFrom(1, 3, 7),
            most: fc.constantFrom(0, 1, 5),
          }),
          { maxLength: 4 },
        ),
        back: fc.constantFrom(0, 0, 1),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), ageMs: fc.constantFrom(0, minute) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('advance' as const),
        ms: fc.constantFrom(0, 1, leaseMs - 1, leaseMs, minute, day),
      }),
    },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)

function envelopePlan(): fc.Arbitrary<EnvelopePlan> {
  return fc.record({
    to: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
    key: fc.option(fc.constantFrom('first', 'second'), { freq: 2 }),
    eventId: fc.option(fc.constantFrom('seventh', 'eighth'), { freq: 1 }),
    traceContext: fc.constantFrom(null, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    bodyHash: fc.constantFrom('one body', 'one body', 'another body'),
    leased: fc.boolean(),
    delayMs: fc.constantFrom(0, 0, 0, minute),
    stale: fc.constantFrom(false, false, false, false, true),
    reliesOff: fc.constantFrom(null, 0, 0, 0, 1),
  })
}

function wantPlan(): fc.Arbitrary<WantPlan> {
  return fc.record({
    endpoint: fc.nat({ max: 2 }),
    lane: fc.constantFrom(...lanes),
    most: fc.constantFrom(1, 2, 100),
    mostBytes: fc.constantFrom(0, 1, 40, 2 ** 20, 2 ** 20),
  })
}

/** Three endpoints of one application at the start of time. */
export function beginning(): World {
  const random = seededRandom(1)
  const application = anApplication(makeId('app', start, random))
  const endpoints = Array.from({ length: 3 }, () => {
    return anEndpoint(makeId('ep', start, random), makeId('sec', start, random), { applicationId: application.id })
  })
  return {
    now: start,
    rows: [],
    endpoints,
    random,
    async settle({ directory }) {
      await directory.createApplication(application)
      for (const endpoint of endpoints) await directory.createEndpoint(endpoint)
    },
  }
}

/** Puts an operation into a question that every store can be asked, with the ids of now; its answer is free of what no store promises. */
export function ask(operation: Operation, world: World): (store: Store) => Promise<unknown> {
  const { now } = world
  switch (operation.kind) {
    case 'enqueue':
      return enqueue(operation, world)
    case 'claim': {
      const { most } = operation
      const wants = operation.wants.map(({ endpoint, ...want }) => ({
        ...want,
        endpointId: endpointAt(world, endpoint).id,
      }))
      return async ({ queue }) =>
        (await queue.claim({ owner: operation.owner, leaseMs, now, most, wants })).map(promised)
    }
    case 'renew': {
      const request = { owner: operation.owner, now, leaseMs, leases: leasesOf(operation.leases, world) }
      return async ({ queue }) => (await queue.renew(request)).toSorted()
    }
    case 'release': {
      const held = leasesOf(operation.leases, world)
      const request = {
        owner: operation.owner,
        now,
        leases: held.map((lease, index) => (index % 2 === 0 ? lease : { ...lease, nextRetryAt: now + minute })),
      }
      return async ({ queue }) => (await queue.release(request)).toSorted()
    }
    case 'start': {
      const starts = leasesOf(operation.leases, world).map((lease) => ({ ...lease, url: 'https://ahead.example' }))
      return async ({ queue }) => (await queue.start({ owner: operation.owner, now, starts })).toSorted()
    }
    case 'edit':
      return ({ directory }) =>
        directory.updateEndpoint(endpointAt(world, operation.endpoint).id, edits[operation.to](now), now)
    case 'disable':
      return ({ queue }) =>
        queue.disable({
          endpointId: endpointAt(world, operation.endpoint).id,
          url: endpointAt(world, operation.endpoint).url,
          generation: operation.generation,
          reason: 'gone',
          now,
        })
    case 'learn': {
      const { id } = endpointAt(world, operation.endpoint)
      return async ({ queue }) => {
        const known = (await queue.health([id])).get(id) ?? healthy
        return queue.saveHealth(id, { ...known, generation: operation.generation, heldUntil: now + minute })
      }
    }
    case 'tokens': {
      const asks = operation.asks.map(({ limit, ...rest }) => ({ id: limit, ...rest }))
      // What one call that names a limit twice, at two speeds, should do no port says.
      const [perSecond = 1] = asks.map((each) => each.perSecond)
      return async ({ queue }) => {
        await queue.returnTokens([{ id: 'ep_a', count: operation.back }])
        return queue.takeTokens({ now, asks: asks.map((each) => ({ ...each, perSecond })) })
      }
    }
    case 'mark': {
      const held = heldOf(operation.leases, world)
      const marks = held.map((delivery, index) => {
        const settled = ends[operation.ends[index] ?? 'delivered']({ delivery }, now)
        const { attempt } = settled
        return {
          ...settled,
          attempt: attempt === null ? null : { ...attempt, epoch: Math.max(attempt.epoch - operation.begunBefore, 1) },
        }
      })
      return ({ queue }) => queue.mark({ owner: operation.owner, now, marks })
    }
    case 'requeue': {
      const request = { filter: filterOf(operation, world), now, limit: 1_000, by: { name: 'kim' } }
      return ({ queue }) => queue.requeue(request)
    }
    case 'cancel': {
      const request = {
        filter: filterOf(operation, world),
        now,
        limit: 1_000,
        by: { name: 'kim', reason: 'asked to' },
        as: 'cancelled' as const,
      }
      return async ({ queue }) => (await queue.cancel(request)).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    }
    case 'prune':
      return ({ queue }) => prunedCount(queue, now - operation.ageMs, now)
    case 'advance':
      world.now += operation.ms
      return async () => null
  }
}

async function prunedCount(queue: Queue, before: number, now: number): Promise<number> {
  return (await queue.prune({ before, deadBefore: before, auditBefore: 0, now, limit: 1_000 })).count
}

function enqueue(operation: Operation & { kind: 'enqueue' }, world: World): (store: Store) => Promise<unknown> {
  const { now, random } = world
  const plans = operation.envelopes.map((plan) => {
    const id = makeId('msg', now, random)
    const message = {
      id,
      applicationId: endpointAt(world, 0).applicationId,
      type: 'invoice.paid',
      // Where the first of a batch with an event id is not stored, PostgreSQL asks for the others once more: `stale`.
      eventId: plan.key !== null || plan.stale || plan.reliesOff === 1 ? null : plan.eventId,
      body: Buffer.from(`{"of":"${id}"}`),
      contentType: 'application/json',
      sessionId: plan.leased ? 'a session' : null,
      channels: [],
      createdAt: now,
      traceContext: plan.traceContext,
      erasedAt: null,
    }
    const deliveries = plan.to.map((place) => {
      const { id: endpointId, url: targetUrl, policy } = endpointAt(world, place)
      return {
        id: makeId('dlv', now, random),
        endpointId,
        targetUrl,
        policy,
        nextRetryAt: now + plan.delayMs,
        leased: plan.leased,
      }
    })
    return { plan, envelope: { message, idempotencyKey: plan.key, bodyHash: plan.bodyHash, deliveries } }
  })
  return async ({ queue, directory }) => {
    const version = (await directory.matching(endpointAt(world, 0).applicationId))?.endpointsVersion ?? 0
    const health = await queue.health(world.endpoints.map(({ id }) => id))
    const reliesOn = (off: number | null, { endpointId }: { endpointId: string }): KnownHealth[] =>
      off === null ? [] : [{ endpointId, version: (health.get(endpointId)?.version ?? 0) + off }]
    const envelopes = plans.map(({ plan: { stale, reliesOff }, envelope }): Envelope => ({
      ...envelope,
      endpointsVersion: stale ? version - 1 : version,
      reliesOn: envelope.deliveries.flatMap((delivery) => reliesOn(reliesOff, delivery)),
    }))
    return queue.enqueue({ owner: operation.owner, leaseMs, now, envelopes })
  }
}

function endpointAt({ endpoints }: World, place: number): Endpoint {
  const endpoint = endpoints[place]
  if (endpoint === undefined) throw new RangeError(`There is no endpoint ${place}.`)
  return endpoint
}

/** What the port says of a claim; the model may answer with more. */
function promised({ delivery, message, lane, tookOver }: Claim): unknown {
  const {
    id,
    endpointId,
    messageId,
    eventType,
    sessionId,
    attemptCount,
    policy,
    interruptions,
    crashCount,
    leaseEpoch,
    createdAt,
  } = delivery
  return {
    delivery: {
      id,
      endpointId,
      messageId,
      eventType,
      sessionId,
      attemptCount,
      policy,
      interruptions,
      crashCount,
      leaseEpoch,
      createdAt,
    },
    message: {
      id: message.id,
      body: Buffer.from(message.body).toString(),
      contentType: message.contentType,
      traceContext: message.traceContext,
    },
    lane,
    tookOver,
  }
}

function leasesOf(plans: readonly LeasePlan[], world: World): { deliveryId: string; epoch: number }[] {
  return heldOf(plans, world).map(({ id, leaseEpoch }) => ({ deliveryId: id, epoch: leaseEpoch }))
}

function heldOf(plans: readonly LeasePlan[], { rows }: World): Delivery[] {
  const leasedFirst = [
    ...rows.filter((row) => row.leaseOwner !== null),
    ...rows.filter((row) => row.leaseOwner === null),
  ]
  const held = plans.flatMap(({ place: at, behind }) => {
    const row = leasedFirst[at]
    return row === undefined ? [] : [{ ...row, leaseEpoch: row.leaseEpoch - behind }]
  })
  // An engine holds a lease once: what the same one twice in a request would mean, no port says.
  return held.filter(
    (one, index) => held.findIndex(({ id, leaseEpoch }) => id === one.id && leaseEpoch === one.leaseEpoch) === index,
  )
}

function filterOf(
  { which, place: at }: Operation & { kind: 'requeue' | 'cancel' },
  { rows, now, endpoints }: World,
): DeliveryFilter {
  switch (which) {
    case 'one':
      return { ids: [rows[at]?.id ?? makeId('dlv', now, () => 0)] }
    case 'endpoint':
      return { endpointId: endpoints[at % endpoints.length]?.id }
    case 'dead':
      return { status: 'dead', reason: 'exhausted' }
    case 'open':
      return { status: ['pending', 'failed'] }
    case 'old':
      return { until: now, unchangedSince: now }
    case 'all':
      return {}
  }
}
