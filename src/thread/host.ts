import type { PosthornOptions } from '../config/options.ts'
import { expected } from '../core/errors.ts'
import type { PosthornError } from '../core/errors.ts'
import type { StoreRecipe } from '../core/ports/ports.ts'
import { makeBus } from '../engine/bus.ts'
import type { Bus } from '../engine/bus.ts'
import { threadParts } from '../wiring.ts'
import type { Wired } from '../wiring.ts'
import { EngineThread } from './engine-thread.ts'
import { report } from './recorded-meter.ts'
import { RemoteEngine } from './remote-engine.ts'
import { remoteStore } from './remote-store.ts'

// A few seconds of deliveries.
const mostUnheard = 50_000

/** An engine in a separate thread, which starts when the store is opened. */
export function wiredToThread(options: PosthornOptions, workerId: string): Wired {
  const recipe = checkThreadable(options)
  const parts = threadParts(options, workerId)
  const { clock, meter } = parts
  const local = makeBus(clock)
  const data = { recipe, options: sendable(options), workerId, isMetered: meter !== null, mostUnheard }
  const thread = new EngineThread(data, {
    event: (event) => local.emit(event),
    meter: (call) => meter !== null && report(meter, call),
    died: (error) => endProcess(local, error),
  })
  const bus = busOf(local, thread)
  return { ...parts, bus, store: remoteStore(parts.store, thread), engine: new RemoteEngine(parts, thread) }
}

/** Refuses options that would have to be in two threads at once. */
function checkThreadable({ store, clock, random, transport }: PosthornOptions): StoreRecipe {
  for (const [name, given] of Object.entries({ clock, random, transport }))
    if (given !== undefined)
      throw expected(
        'invalid_argument',
        name,
        'left out together with `thread: true`',
        given,
        'The engine thread has its own.',
      )
  if (store.recipe !== undefined) return store.recipe
  const advice =
    'A store in memory, a connection that you open and a pool of yours are in your thread: leave `thread` out.'
  throw expected(
    'invalid_argument',
    'thread',
    'left out, unless `store` is sqlite(path) or postgres(url)',
    true,
    advice,
  )
}

/** The options that the other thread needs, without functions. */
function sendable(options: PosthornOptions): Omit<PosthornOptions, 'store'> {
  const here = new Set(['store', 'meter', 'events', 'thread'])
  const sent = Object.entries(options).filter(([name, value]) => !here.has(name) && typeof value !== 'function')
  return Object.fromEntries(sent)
}

/** A bus for the events of the other thread that somebody listens for. */
function busOf(local: Bus, thread: EngineThread): Bus {
  const counts = new Map<string, number>()
  return {
    ...local,
    on(type, listener) {
      const count = (more: number): void => {
        const listening = (counts.get(type) ?? 0) + more
        counts.set(type, listening)
        thread.want(type, listening > 0)
      }
      const off = local.on(type, listener)
      let isOn = true
      count(1)
      return () => {
        off()
        if (isOn) count(-1)
        isOn = false
      }
    },
  }
}

/** As without a thread: an uncaught error ends the process, which says why. */
function endProcess(bus: Bus, error: PosthornError): never {
  bus.warn('engine_thread_ended', error.message)
  throw error
}
