import type { Endpoint } from './endpoint.ts'
import { Lru } from './lru.ts'
import { collects, fanOut, wantsType } from './message.ts'
import type { Message } from './message.ts'

/** What of an endpoint decides which messages it gets, and what is stored with them. */
export type Subscriber = Pick<Endpoint, 'id' | 'url' | 'status' | 'types' | 'channels' | 'filter' | 'policy'>

const mostTypes = 100

/** The endpoints of one application, ready to be matched: a message looks only at those that want its type. */
export class Subscribers {
  readonly #byId: ReadonlyMap<string, Subscriber>
  readonly #byType = new Lru<string, readonly Subscriber[]>(mostTypes)

  constructor(subscribers: readonly Subscriber[]) {
    this.#byId = new Map(subscribers.map((subscriber) => [subscriber.id, subscriber]))
  }

  get(endpointId: string): Subscriber | undefined {
    return this.#byId.get(endpointId)
  }

  /** Those that get a message; if it is for one endpoint only, that one, whatever it wants otherwise. */
  of(message: Pick<Message, 'type' | 'channels' | 'body'>, to: string | null): readonly Subscriber[] {
    const wanting = this.wanting(message.type, to)
    return to === null ? fanOut(message, wanting) : wanting
  }

  /** Those that may get a message of that type, as far as its channels and its body do not matter. */
  wanting(type: string, to: string | null): readonly Subscriber[] {
    if (to !== null) return this.#only(to)
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const wanting = [...this.#byId.values()].filter((subscriber) => collects(subscriber) && wantsType(subscriber.types, type))
    this.#byType.set(type, wanting)
    return wanting
  }
  #only(endpointId: string): readonly Subscriber[] {
    const only = this.#byId.get(endpointId)
    return only === undefined ? [] : [only]
  }
}
