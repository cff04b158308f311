import type { AuditAction } from '../../core/ports/audit.ts'
import type { EndpointCounts } from '../../core/ports/directory/endpoints.ts'
import type { Page } from '../../core/ports/directory/page.ts'
import type { Endpoint, EndpointSettings, EndpointStatus } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import { checkEventType } from '../../core/message/message.ts'
import type { Message } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import { checkPage } from '../input/page.ts'
import { sendExample } from './example.ts'
import { findEndpoint, found } from './find.ts'
import type { EndpointName } from './find.ts'
import type { EndpointParts } from './parts.ts'
import { revealSecret, rotateSecret } from './secrets.ts'
import type { RotateOptions } from './secrets.ts'
import { shown } from './shown.ts'
import { checkUpdate, createEndpoint, reasonOf, updateEndpoint } from './settings.ts'
import type { NewEndpoint } from './settings.ts'

/** The URLs that get webhooks, with their secrets, filters, headers, limits and retry policy. */
export interface Endpoints {
  /** Active, unless another status is given: then it gets nothing until it is resumed or enabled. */
  create(input: NewEndpoint, by?: By): Promise<Endpoint>
  /** A deleted endpoint is found by its id, if requested. */
  get(name: EndpointName, options?: { readonly deleted?: boolean }): Promise<Endpoint>
  /** `text` is searched in url, description and uid. */
  list(
    filter?: { readonly application?: string | undefined; readonly text?: string | undefined },
    page?: Partial<Page>,
  ): Promise<Endpoint[]>
  /** Applies from the next attempt on, also for open deliveries. */
  update(name: EndpointName, change: Partial<EndpointSettings>, by?: By): Promise<Endpoint>
  /** Refuses what `update` would refuse, and changes nothing. */
  check(name: EndpointName, change: Partial<EndpointSettings>): Promise<void>
  /** Collects deliveries without sending them. */
  pause(name: EndpointName, by?: By): Promise<Endpoint>
  resume(name: EndpointName, by?: By): Promise<Endpoint>
  /** Gets nothing new, and nothing is sent. */
  disable(name: EndpointName, by?: By): Promise<Endpoint>
  enable(name: EndpointName, by?: By): Promise<Endpoint>
  /** Creates a new secret; the old ones stay valid for the overlap, a day by default. At most ten are valid at once. */
  rotateSecret(name: EndpointName, options?: RotateOptions, by?: By): Promise<Endpoint>
  /** Returns the secret that receivers verify with, or the public key (`whpk_`) of an ed25519 one, and records who asked. */
  revealSecret(name: EndpointName, by?: By): Promise<string>
  delete(name: EndpointName, by?: By): Promise<void>
  /** What became of its deliveries in a time range. */
  counts(name: EndpointName, range: { readonly since: Instant; readonly until: Instant }): Promise<EndpointCounts>
  /** Sends it the example of an event type's schema, regardless of its filters. */
  sendExample(name: EndpointName, eventType: string): Promise<Message>
}

export function makeEndpoints(parts: EndpointParts): Endpoints {
  const { ready, directory } = parts
  return {
    get: async (name, options) => shown(await findEndpoint(parts, name, options)),
    create: async (input, by = {}) => shown(await createEndpoint(parts, input, by)),
    async list({ application, text } = {}, page = {}) {
      await ready()
      const owner = application === undefined ? null : await directory.application(application)
      if (application !== undefined && owner === null)
        throw expected('not_found', 'application', 'the id or uid of an application that exists', application)
      return (await directory.listEndpoints({ applicationId: owner?.id, text }, checkPage(page))).map(shown)
    },
    update: async (name, change, by = {}) => shown(await updateEndpoint(parts, name, change, by)),
    check: (name, change) => checkUpdate(parts, name, change),
    pause: (name, by = {}) => setStatus(parts, name, { status: 'paused', action: 'pause' }, by),
    resume: (name, by = {}) => setStatus(parts, name, { status: 'active', action: 'resume' }, by),
    disable: (name, by = {}) => setStatus(parts, name, { status: 'disabled', action: 'disable' }, by),
    enable: (name, by = {}) => setStatus(parts, name, { status: 'active', action: 'enable' }, by),
    revealSecret: (name, by = {}) => revealSecret(parts, name, by),
    rotateSecret: async (name, options = {}, by = {}) => shown(await rotateSecret(parts, name, options, by)),
    async delete(name, by = {}) {
      await setStatus(parts, name, { status: 'deleted', action: 'delete' }, by)
    },
    async counts(name, { since, until }) {
      const { id } = await findEndpoint(parts, name)
      return directory.endpointCounts(id, since, until)
    },
    async sendExample(name, eventType) {
      checkEventType(eventType, 'eventType')
      return sendExample(parts, await findEndpoint(parts, name), eventType)
    },
  }
}

interface StatusChange {
  readonly status: EndpointStatus
  readonly action: AuditAction
}

async function setStatus(
  parts: EndpointParts,
  name: EndpointName,
  { status, action }: StatusChange,
  by: By,
): Promise<Endpoint> {
  const { directory, clock } = parts
  const { id } = await findEndpoint(parts, name)
  const reason = { status, statusReason: reasonOf(status, by) }
  const change = status === 'deleted' ? { ...reason, authentication: null } : reason
  const endpoint = found(await directory.updateEndpoint(id, change, clock.now(), { action, by: actor(by) }), name)
  await parts.changed(id)
  return shown(endpoint)
}
