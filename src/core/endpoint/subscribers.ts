import type { Endpoint } from './endpoint.ts'
import { Lru } from '../lru.ts'
import { textOf } from '../message/message.ts'
import type { Message } from '../message/message.ts'
import { matches } from '../message/payload-filter.ts'
import type { PayloadFilter } from '../message/payload-filter.ts'

/** The fields of an endpoint that decide which messages it gets, and what is stored with them. */
export type Subscriber = Pick<Endpoint, 'id' | 'url' | 'status' | 'types' | 'channels' | 'filter' | 'policy'>

const mostTypes = 100

/** The endpoints of one application, indexed for matching: a message looks only at those that subscribe to its type. */
export class Subscribers {
  readonly #byId: ReadonlyMap<string, Subscriber>
  readonly #byType = new Lru<string, readonly Subscriber[]>(mostTypes)

  constructor(subscribers: readonly Subscriber[]) {
    this.#byId = new Map(subscribers.map((subscriber) => [subscriber.id, subscriber]))
  }

  get(endpointId: string): Subscriber | undefined {
    return this.#byId.get(endpointId)
  }

  /** The endpoints that get a message; if it is addressed to a single endpoint, only that one, regardless of its subscriptions. */
  of(message: Pick<Message, 'type' | 'channels' | 'body'>, to: string | null): readonly Subscriber[] {
    const wanting = this.wanting(message.type, to)
    return to === null ? fanOut(message, wanting) : wanting
  }

  /** The endpoints that could get a message of this type, disregarding channels and body. */
  wanting(type: string, to: string | null): readonly Subscriber[] {
    if (to !== null) return this.#only(to)
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const wanting = [...this.#byId.values()].filter(
      (subscriber) => collects(subscriber) && wantsType(subscriber.types, type),
    )
    this.#byType.set(type, wanting)
    return wanting
  }

  #only(endpointId: string): readonly Subscriber[] {
    const only = this.#byId.get(endpointId)
    return only === undefined ? [] : [only]
  }
}

/** The endpoints that get a message: active or paused, and subscribed to its type, one of its channels, and its body. */
export function fanOut<Wanting extends Pick<Endpoint, 'status' | 'types' | 'channels' | 'filter'>>(
  message: Pick<Message, 'type' | 'channels' | 'body'>,
  endpoints: readonly Wanting[],
): Wanting[] {
  // Parsed once, and only if needed.
  let parsed: Parsed | undefined
  return endpoints.filter((endpoint) => {
    if (!collects(endpoint) || !wantsType(endpoint.types, message.type) || !listens(endpoint, message)) return false
    if (endpoint.filter === null) return true
    parsed ??= parse(message.body)
    return parsed.isJson && matches(endpoint.filter, parsed.value)
  })
}

/** True if a body matches a filter; a body that is not JSON never does. */
export function passes(filter: PayloadFilter, body: Uint8Array): boolean {
  const { isJson, value } = parse(body)
  return isJson && matches(filter, value)
}

/** True if an endpoint gets new deliveries, to send them now or to keep them until it is resumed. */
export function collects(endpoint: Pick<Endpoint, 'status'>): boolean {
  return endpoint.status === 'active' || endpoint.status === 'paused'
}

function wantsType(filters: readonly string[], type: string): boolean {
  return (
    filters.length === 0 ||
    filters.some((filter) => (filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : filter === type))
  )
}

/** An endpoint without channels gets everything; one with channels only messages sent to one of them. */
function listens(endpoint: Pick<Endpoint, 'channels'>, message: Pick<Message, 'channels'>): boolean {
  return endpoint.channels.length === 0 || message.channels.some((channel) => endpoint.channels.includes(channel))
}

interface Parsed {
  readonly isJson: boolean
  readonly value: unknown
}

/** A body that is not JSON matches no filter. */
function parse(body: Uint8Array): Parsed {
  try {
    return { isJson: true, value: JSON.parse(textOf(body)) }
  } catch {
    return { isJson: false, value: undefined }
  }
}
