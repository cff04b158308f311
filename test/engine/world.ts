import { onTestFinished } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import type { PosthornOptions } from '../../src/posthorn.ts'
import type { Delivery } from '../../src/core/delivery/delivery.ts'
import type { Endpoint } from '../../src/core/endpoint/endpoint.ts'
import type { EventOf, EventType, PosthornEvent } from '../../src/core/ports/events.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Want } from '../../src/core/ports/queue.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import type { EndpointInput } from '../../src/api/endpoint/settings.ts'
import { watch } from './watched-store.ts'
import type { WatchedStore } from './watched-store.ts'

/** An engine without a network: a store in memory whose calls are on record, scripted answers, a clock that stands still. */
export interface EngineWorld {
  readonly posthorn: Posthorn
  readonly clock: ManualClock
  readonly transport: ScriptedTransport
  readonly store: WatchedStore
  readonly events: PosthornEvent[]
  heard<Type extends EventType>(type: Type): EventOf<Type>[]
  /** An endpoint in an application of its own, both of that name, at `urlOf(name)`. */
  endpoint(name: string, settings?: Partial<EndpointInput>): Promise<Endpoint>
  /** Sends so many messages to the endpoint of that name. */
  send(name: string, count?: number): Promise<void>
  /** The deliveries to an endpoint, or all, oldest first. */
  rows(name?: string): Promise<Delivery[]>
  /** Requests to the endpoint of that name. */
  sentTo(name: string): number
  /** Moves time, by one poll interval if not said otherwise, and waits until everything it caused is done. */
  poll(ms?: number): Promise<void>
  /** Another worker on the same store and clock; with the same transport unless it gets its own. */
  second(options?: Partial<PosthornOptions>): Posthorn
}

/** Makes an engine that is not started yet; it is stopped when the test ends. */
export function engineWorld(options: Partial<PosthornOptions> = {}, inner: Store = memoryStore()): EngineWorld {
  const clock = manualClock()
  const transport = scriptedTransport(clock)
  const store = watch(inner)
  const endpoints = new Map<string, Endpoint>()
  const events: PosthornEvent[] = []

  function make(seed: number, more: Partial<PosthornOptions>): Posthorn {
    const posthorn = new Posthorn({ transport, ...options, random: seededRandom(seed), store, ...more, clock })
    onTestFinished(() => posthorn.stop({ graceMs: 0 }).catch(() => undefined))
    return posthorn
  }

  const posthorn = make(1, {})
  posthorn.on('*', (event) => events.push(event))

  return {
    posthorn,
    clock,
    transport,
    store,
    events,
    heard: (type) => events.filter((event): event is EventOf<typeof type> => event.type === type),
    async endpoint(name, settings = {}) {
      const endpoint = await posthorn.endpoints.create({ application: name, url: urlOf(name), ...settings })
      endpoints.set(name, endpoint)
      return endpoint
    },
    async send(name, count = 1) {
      await posthorn.send(
        Array.from({ length: count }, (_, id) => ({ application: name, type: 'invoice.paid', data: { id } })),
      )
    },
    async rows(name) {
      const filter = name === undefined ? {} : { endpointId: endpoints.get(name)?.id ?? '' }
      return (await inner.directory.listDeliveries(filter, { limit: 100_000, after: null })).toReversed()
    },
    sentTo: (name) => transport.requests.filter(({ url }) => url === urlOf(name)).length,
    async poll(ms = 5_000) {
      await clock.advance(ms)
      await posthorn.idle()
    },
    second: (more = {}) => make(2, more),
  }
}

export function urlOf(name: string): string {
  return `https://${name}.example/hook`
}

/** Rows that somebody holds. */
export function leased(rows: readonly Delivery[]): number {
  return rows.filter(({ leaseOwner }) => leaseOwner !== null).length
}

export function inStatus(rows: readonly Delivery[], status: Delivery['status']): number {
  return rows.filter((row) => row.status === status).length
}

/** What claims have asked for so far, endpoint by endpoint. */
export function wantsOf(store: WatchedStore, endpointId: string): Want[] {
  const requests = store.calls
    .filter(({ method }) => method === 'claim')
    .map(({ request }) => request[0] as Parameters<Store['queue']['claim']>[0])
  return requests.flatMap(({ wants }) => wants.filter((want) => want.endpointId === endpointId))
}

/** Turns of the loop, enough for everything to settle that needs no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
