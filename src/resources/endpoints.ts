import { randomBytes } from 'node:crypto'
import { checkEndpoint } from '../core/endpoint.ts'
import type { Endpoint, EndpointSettings, EndpointStatus } from '../core/endpoint.ts'
import { expected } from '../core/errors.ts'
import { makeId } from '../core/ids.ts'
import { checkCount } from '../core/pace.ts'
import type { Page } from '../core/ports.ts'
import type { RetryPolicy } from '../core/retry-policy.ts'
import { checkSecret, defaultBodyHeader, hmacSecret } from '../core/signature.ts'
import type { SignatureScheme } from '../core/signature.ts'
import { day } from '../core/time.ts'
import { checkApplication } from './applications.ts'
import { checkPage } from './page.ts'
import type { ResourceParts } from './parts.ts'

export type EndpointInput = Pick<EndpointSettings, 'url'> & Partial<Omit<EndpointSettings, 'url'>>

/** The URLs that get webhooks, with their secrets, filters, headers, limits and retry policy. */
export interface Endpoints {
  create(input: EndpointInput & { readonly application: string; readonly secret?: string }): Promise<Endpoint>
  get(id: string): Promise<Endpoint>
  list(filter?: { readonly application?: string }, page?: Partial<Page>): Promise<Endpoint[]>
  /** Applies to the next attempt, also of deliveries that are on their way already. */
  update(id: string, change: Partial<EndpointSettings>): Promise<Endpoint>
  /** Collects deliveries without sending them. */
  pause(id: string, by?: string): Promise<Endpoint>
  resume(id: string): Promise<Endpoint>
  /** Gets nothing new, and nothing is sent. */
  disable(id: string, by?: string): Promise<Endpoint>
  enable(id: string): Promise<Endpoint>
  /** A new secret; the old ones stay valid for the overlap, a day if not given. */
  rotateSecret(id: string, options?: { readonly secret?: string; readonly overlapMs?: number }): Promise<Endpoint>
  delete(id: string): Promise<void>
}

export interface EndpointParts extends ResourceParts {
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaults: { readonly policy: string; readonly signature: SignatureScheme }
  /** Throws if the address may not be called. */
  readonly checkTarget: (url: URL) => void
  readonly applicationId: (idOrUid: string) => Promise<string>
  /** Tells the engine at once; the tick would find out anyway. */
  readonly changed: (endpointId: string) => Promise<void>
}

export function makeEndpoints(parts: EndpointParts): Endpoints {
  const { ready, directory, clock, random, policies, defaults } = parts

  async function get(id: string): Promise<Endpoint> {
    await ready()
    return found(await directory.endpoint(null, id), id)
  }

  function check(settings: EndpointSettings): void {
    checkEndpoint(settings)
    parts.checkTarget(new URL(settings.url))
    if (!policies.has(settings.policy)) throw expected('unknown_policy', 'policy', `one of ${[...policies.keys()].join(', ')}`, settings.policy)
  }

  async function setStatus(id: string, status: EndpointStatus, statusReason: string | null): Promise<Endpoint> {
    const before = await get(id)
    const endpoint = found(await directory.updateEndpoint(before.id, { status, statusReason }, clock.now()), id)
    await parts.changed(endpoint.id)
    return endpoint
  }

  return {
    get,
    async create({ application, secret, ...input }) {
      const settings = { ...blank(defaults), ...defined(input) }
      check(settings)
      checkApplication(application)
      const value = secret === undefined ? hmacSecret(randomBytes(32)) : checkSecret(secret)
      await ready()
      const applicationId = await parts.applicationId(application)
      const now = clock.now()
      const made = { createdAt: now, updatedAt: now }
      return directory.createEndpoint({
        ...settings,
        ...made,
        id: makeId('ep', now, random),
        applicationId,
        status: 'active',
        statusReason: null,
        statusSince: now,
        secrets: [{ id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }],
      })
    },
    async list({ application } = {}, page = {}) {
      await ready()
      const owner = application === undefined ? null : await directory.application(application)
      if (application !== undefined && owner === null) throw expected('not_found', 'application', 'the id or uid of an application that exists', application)
      return directory.listEndpoints(owner === null ? {} : { applicationId: owner.id }, checkPage(page))
    },
    async update(id, change) {
      const before = await get(id)
      check({ ...settingsOf(before), ...defined(change) })
      const endpoint = found(await directory.updateEndpoint(before.id, defined(change), clock.now()), id)
      await parts.changed(endpoint.id)
      return endpoint
    },
    pause: (id, by) => setStatus(id, 'paused', by === undefined ? null : `by ${by}`),
    resume: (id) => setStatus(id, 'active', null),
    disable: (id, by) => setStatus(id, 'disabled', by === undefined ? null : `by ${by}`),
    enable: (id) => setStatus(id, 'active', null),
    async rotateSecret(id, { secret, overlapMs = day } = {}) {
      const value = secret === undefined ? hmacSecret(randomBytes(32)) : checkSecret(secret)
      checkCount('overlapMs', overlapMs, 0, 30 * day)
      const before = await get(id)
      const now = clock.now()
      const added = { id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }
      const endpoint = found(await directory.rotateSecret(before.id, added, now + overlapMs, now), id)
      await parts.changed(endpoint.id)
      return endpoint
    },
    async delete(id) {
      await setStatus(id, 'deleted', null)
    },
  }
}

function blank({ policy, signature }: EndpointParts['defaults']): Omit<EndpointSettings, 'url'> {
  return { uid: null, description: '', types: [], channels: [], headers: {}, policy, signature, bodyHeader: defaultBodyHeader, ratePerSecond: null }
}

function settingsOf({ uid, url, description, types, channels, headers, policy, signature, bodyHeader, ratePerSecond }: Endpoint): EndpointSettings {
  return { uid, url, description, types, channels, headers, policy, signature, bodyHeader, ratePerSecond }
}

/** `undefined` means "not given" in a change, as it does in a call. */
function defined<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given
}

function found(endpoint: Endpoint | null, id: string): Endpoint {
  if (endpoint !== null) return endpoint
  throw expected('not_found', 'endpoint', 'the id or uid of an endpoint that exists', id)
}
