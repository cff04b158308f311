import { hostname } from 'node:os'
import { followingClock, steadyClock, systemClock, systemRandom } from './clock.ts'
import type { FollowingClock } from './clock.ts'
import { checkStore } from './config/check-store.ts'
import { engineSettings } from './config/engine-settings.ts'
import type { PosthornOptions } from './config/options.ts'
import type { Meter } from './core/ports/meter.ts'
import type { Clock, Store } from './core/ports/ports.ts'
import type { Tracer } from './core/ports/tracer.ts'
import type { Random } from './core/time.ts'
import { makeBus } from './engine/bus.ts'
import type { Bus } from './engine/bus.ts'
import { Engine } from './engine/engine.ts'
import type { EngineCalls } from './engine/engine.ts'
import type { EngineSettings } from './engine/parts.ts'
import { openTelemetryTracer } from './tracing/open-telemetry.ts'
import { makeGuard } from './transport/guard.ts'
import type { Guard } from './transport/guard.ts'
import { httpTransport } from './transport/http.ts'
import { readProxy } from './transport/proxy/proxy.ts'
import type { Proxy } from './transport/proxy/proxy.ts'
import { version } from './version.ts'

/** The parts that every thread of a Posthorn has. */
export interface ThreadParts {
  readonly store: Store
  readonly clock: Clock
  /** The clock that follows the store's time; null if time comes from elsewhere. */
  readonly followed: FollowingClock | null
  readonly random: Random
  readonly tracer: Tracer
  readonly settings: EngineSettings
  readonly guard: Guard
  readonly meter: Meter | null
}

/** The same with an engine, in whichever thread. */
export interface Wired extends ThreadParts {
  readonly engine: EngineCalls
  readonly bus: Bus
}

/** A unique worker name. Refuses a missing store before anything else. */
export function newWorkerId(options: PosthornOptions): string {
  checkStore(options)
  const { random = systemRandom } = options
  return `${hostname()}-${process.pid}-${Math.floor(random() * 2 ** 32).toString(36)}`
}

/** Combines options and ports; starts nothing. */
export function threadParts(options: PosthornOptions, workerId: string): ThreadParts {
  const { store, meter } = meteredStore(options)
  // First, so that a refusal has touched nothing.
  const settings = engineSettings(options, workerId, `posthorn/${version}`)
  const followed = options.clock === undefined ? clockOf(options.store) : null
  return {
    store,
    clock: options.clock ?? followed ?? steadyClock(),
    followed,
    random: options.random ?? systemRandom,
    tracer: openTelemetryTracer(version),
    settings,
    guard: guardFrom(options),
    meter,
  }
}

/** An engine in the thread that calls this. */
export function wiredHere(options: PosthornOptions, workerId: string): Wired {
  const parts = threadParts(options, workerId)
  const { store, clock, guard } = parts
  const bus = makeBus(clock)
  const { queue, directory, beat, lookMs = null, listen = null, disk } = store
  const transport = options.transport ?? httpTransport({ clock, guard, proxy: proxyFrom(options) })
  const engine = new Engine({ ...parts, bus, transport, queue, directory, beat, lookMs, listen, disk })
  return { ...parts, bus, engine }
}

/** The given store, reporting to a meter if there is one. */
function meteredStore(options: PosthornOptions): { readonly store: Store; readonly meter: Meter | null } {
  const store = checkStore(options)
  const { meter = null } = options
  return { store: meter === null ? store : (store.metered?.(meter) ?? store), meter }
}

function guardFrom({ allowedTargets = [], allowHttp = false, ownPort = null }: PosthornOptions): Guard {
  return makeGuard({ allowedTargets, allowHttp, ownPort })
}

function proxyFrom({ proxyUrl = null }: PosthornOptions): Proxy | null {
  return proxyUrl === null ? null : readProxy(proxyUrl)
}

/** Workers on several machines follow the time of the store that they share. */
function clockOf(store: Store): FollowingClock | null {
  return store.time === undefined ? null : followingClock(() => store.time?.() ?? Promise.resolve(systemClock.now()))
}
