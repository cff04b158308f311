import type { ReplyDirectory } from '../core/ports/directory/replies.ts'
import type { Clock, Store } from '../core/ports/ports.ts'
import type { Quotas } from '../core/limits/quotas.ts'
import type { SignatureScheme } from '../core/signing/signature.ts'
import type { Random } from '../core/time.ts'
import { emitEnded } from '../engine/bus.ts'
import type { Bus } from '../engine/bus.ts'
import type { EngineCalls } from '../engine/engine.ts'
import type { EngineSettings } from '../engine/parts.ts'
import { requestFor } from '../engine/attempt/request.ts'
import { makeAlarms } from './alarms.ts'
import type { Alarms } from './alarms.ts'
import { makeApplications } from './applications.ts'
import type { Applications } from './applications.ts'
import { makeDeliveries } from './delivery/deliveries.ts'
import type { Deliveries } from './delivery/deliveries.ts'
import type { DeliveryParts } from './delivery/parts.ts'
import { makeOperations } from './delivery/requeue-and-cancel.ts'
import type { Operations } from './delivery/requeue-and-cancel.ts'
import { makeEndpoints } from './endpoint/endpoints.ts'
import type { Endpoints } from './endpoint/endpoints.ts'
import type { EndpointParts } from './endpoint/parts.ts'
import { EndpointQuotas } from './endpoint/quotas.ts'
import { makeEventTypes } from './event-types.ts'
import type { EventTypes } from './event-types.ts'
import { makeFigures } from './figures.ts'
import type { Figures } from './figures.ts'
import { makeReplies } from './idempotent-replies.ts'
import { makeJobs } from './jobs.ts'
import type { Jobs } from './jobs.ts'
import { makeKeys } from './keys.ts'
import type { Keys } from './keys.ts'
import { makeMessages } from './messages.ts'
import type { Messages } from './messages.ts'
import type { ResourceParts } from './parts.ts'
import { makeSearch } from './search/search.ts'
import type { Search } from './search/search.ts'
import { checkMessage } from './send/checked-message.ts'
import type { Enforcer } from './send/schema-enforcer.ts'
import { makeStream } from './stream/stream.ts'
import type { Stream } from './stream/stream.ts'

/** What a program calls on a `Posthorn`, besides `send`. */
export interface Api extends Operations {
  readonly applications: Applications
  readonly endpoints: Endpoints
  readonly eventTypes: EventTypes
  readonly messages: Messages
  readonly deliveries: Deliveries
  readonly jobs: Jobs
  readonly figures: Figures
  readonly search: Search
  readonly alarms: Alarms
  readonly stream: Stream
  readonly keys: Keys
  /** Responses of the HTTP API under idempotency keys. */
  readonly replies: ReplyDirectory
}

interface ApiParts {
  readonly store: Store
  readonly engine: EngineCalls
  readonly bus: Bus
  readonly clock: Clock
  readonly random: Random
  readonly settings: EngineSettings
  readonly quotas: Quotas
  /** Null if schemas are not enforced. */
  readonly enforcer: Enforcer | null
  /** Throws if an address may not be called. */
  readonly guard: { checkUrl(url: URL): void }
  /** How requests to new endpoints are signed. */
  readonly signature: SignatureScheme
  /** Opens the store on first use. */
  open(): Promise<void>
}

/** Connects each part of the API to the store and the engine; contains no rules. */
export function makeApi(parts: ApiParts): Api {
  const { engine, bus, enforcer } = parts
  const { queue, directory, lookMs = null } = parts.store
  const { policies, defaultPolicy, limits, owner } = parts.settings
  const shared = {
    ready: parts.open,
    directory,
    queue,
    clock: parts.clock,
    random: parts.random,
    policies,
    defaultPolicy,
  }
  const deliveryParts: DeliveryParts = {
    ...shared,
    expect: (endpointId, lane) => engine.expect(endpointId, lane),
    retriesPerTick: limits.retriesPerEndpoint,
    outgoingRequest: (endpoint, message, now) => requestFor(parts.settings, endpoint, message, { now }),
    emitCancelled: (ended) => emitEnded(bus, ended, 'cancelled'),
  }
  const deliveries = makeDeliveries(deliveryParts)
  const endpoints = makeEndpoints(endpointParts(parts, shared))
  const wake = (): void => engine.wakeBulk()
  return {
    applications: makeApplications({ ...shared, wake }),
    endpoints,
    alarms: makeAlarms({ ...shared, endpoints, sendOperational: (message) => engine.sendOperational(message) }),
    eventTypes: makeEventTypes({ ...shared, changed: (name) => enforcer?.forget(name) }),
    messages: makeMessages(deliveryParts),
    deliveries,
    jobs: makeJobs({ ...shared, wake }),
    figures: makeFigures(shared),
    search: makeSearch(shared),
    stream: makeStream({ ...shared, owner, isShared: lookMs !== null, subscribe: (listener) => bus.on('*', listener) }),
    keys: makeKeys(shared),
    replies: makeReplies(shared),
    ...makeOperations(deliveryParts, deliveries),
  }
}

function endpointParts(
  { engine, settings, quotas, guard, signature, clock, random }: ApiParts,
  shared: ResourceParts,
): EndpointParts {
  const { policies, defaultPolicy, headerPrefix } = settings
  return {
    ...shared,
    policies,
    defaults: { policy: defaultPolicy.name, signature },
    headerPrefix,
    quotas: new EndpointQuotas(quotas, shared.directory),
    checkUrl: (url) => guard.checkUrl(url),
    applicationId: (idOrUid) => engine.applicationId(idOrUid),
    changed: (endpointId) => engine.endpointChanged(endpointId),
    async sendTo({ id: to, applicationId: application }, type, payload) {
      const context = { events: undefined, mustExist: true, to, now: clock.now(), random }
      const { id } = await engine.send(await checkMessage({ application, type, payload }, context))
      return id
    },
  }
}
