import { randomBytes } from 'node:crypto'
import { checkEndpoint } from '../../core/endpoint.ts'
import type { Endpoint, EndpointSettings, EndpointStatus } from '../../core/endpoint.ts'
import { expected } from '../../core/errors.ts'
import { newestSchema } from '../../core/event-type.ts'
import { makeId } from '../../core/ids.ts'
import { checkEventType } from '../../core/message.ts'
import type { Message } from '../../core/message.ts'
import { checkCount } from '../../core/limits.ts'
import type { AuditAction } from '../../core/audit.ts'
import type { EndpointCounts, Page } from '../../core/directory.ts'
import type { RetryPolicy } from '../../core/retry-policy.ts'
import { checkScheme, checkSecret, defaultBodyHeader, hmacSecret, liveSecrets, mostLiveSecrets, verificationKey } from '../../core/signature.ts'
import type { SignatureScheme } from '../../core/signature.ts'
import { day } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import { checkApplication } from '../applications.ts'
import { actor } from '../delivery/deliveries.ts'
import type { By } from '../delivery/deliveries.ts'
import { checkPage } from '../page.ts'
import type { ResourceParts } from '../parts.ts'
import { refuseUnknown } from '../unknown-options.ts'

export type EndpointInput = Pick<EndpointSettings, 'url'> & Partial<Omit<EndpointSettings, 'url'>>

/** An endpoint's id, or your own name for it within its application. */
export type EndpointName = string | { readonly application: string; readonly uid: string }

/** The URLs that get webhooks, with their secrets, filters, headers, limits and retry policy. */
export interface Endpoints {
  /** Active, unless it should begin otherwise: then it gets nothing before it is resumed or enabled. */
  create(input: EndpointInput & { readonly application: string; readonly secret?: string; readonly status?: 'active' | 'paused' | 'disabled' }, by?: By): Promise<Endpoint>
  /** One that was deleted is found by its id, if asked for. */
  get(name: EndpointName, options?: { readonly deleted?: boolean }): Promise<Endpoint>
  /** `text` is looked for in url, description and uid. */
  list(filter?: { readonly application?: string | undefined; readonly text?: string | undefined }, page?: Partial<Page>): Promise<Endpoint[]>
  /** Applies to the next attempt, also of deliveries that are on their way already. */
  update(name: EndpointName, change: Partial<EndpointSettings>): Promise<Endpoint>
  /** Collects deliveries without sending them. */
  pause(name: EndpointName, by?: By): Promise<Endpoint>
  resume(name: EndpointName, by?: By): Promise<Endpoint>
  /** Gets nothing new, and nothing is sent. */
  disable(name: EndpointName, by?: By): Promise<Endpoint>
  enable(name: EndpointName, by?: By): Promise<Endpoint>
  /** A new secret; the old ones stay valid for the overlap, a day if not given. At most ten are valid at once. */
  rotateSecret(name: EndpointName, options?: { readonly secret?: string; readonly overlapMs?: number }, by?: By): Promise<Endpoint>
  /** Shows the secret by which receivers verify, or the public key (`whpk_`) of an ed25519 one, and notes who asked. */
  revealSecret(name: EndpointName, by?: By): Promise<string>
  delete(name: EndpointName, by?: By): Promise<void>
  /** What came of its deliveries in a time. */
  counts(name: EndpointName, range: { readonly since: Instant; readonly until: Instant }): Promise<EndpointCounts>
  /** Sends it the example of an event type's schema, whatever its own filters say. */
  sendExample(name: EndpointName, eventType: string): Promise<Message>
}

export interface EndpointParts extends ResourceParts {
  readonly policies: ReadonlyMap<string, RetryPolicy>
  readonly defaults: { readonly policy: string; readonly signature: SignatureScheme }
  /** What the names of the signature's headers begin with. */
  readonly headerPrefix: string
  /** Throws if the address may not be called. */
  readonly checkTarget: (url: URL) => void
  readonly applicationId: (idOrUid: string) => Promise<string>
  /** Tells the engine at once; the tick would find out anyway. */
  readonly changed: (endpointId: string) => Promise<void>
  /** Sends a message of the application to this one endpoint. Answers with the message's id. */
  readonly sendTo: (endpoint: Endpoint, type: string, payload: string) => Promise<string>
}

const settingNames = [
  'uid', 'url', 'description', 'types', 'channels', 'filter', 'headers', 'metadata', 'policy', 'signature', 'bodyHeader', 'ratePerSecond',
] as const satisfies readonly (keyof EndpointSettings)[]

export function makeEndpoints(parts: EndpointParts): Endpoints {
  const { ready, directory, clock, random, policies, defaults } = parts

  async function get(name: EndpointName, { deleted = false }: { readonly deleted?: boolean } = {}): Promise<Endpoint> {
    await ready()
    if (typeof name === 'string' && deleted) return found((await directory.endpointsById([name]))[0] ?? null, name)
    if (typeof name === 'string') return found(await directory.endpoint(null, name), name)
    const application = await directory.application(name.application)
    return found(application === null ? null : await directory.endpoint(application.id, name.uid), name)
  }

  function check(settings: EndpointSettings): void {
    checkEndpoint(settings, parts.headerPrefix)
    parts.checkTarget(new URL(settings.url))
    if (!policies.has(settings.policy)) throw expected('unknown_policy', 'policy', `one of ${[...policies.keys()].join(', ')}`, settings.policy)
  }

  async function setStatus(name: EndpointName, status: EndpointStatus, action: AuditAction, by: By): Promise<Endpoint> {
    const { id } = await get(name)
    const endpoint = found(await directory.updateEndpoint(id, { status, statusReason: reasonOf(status, by) }, clock.now(), { action, by: actor(by) }), name)
    await parts.changed(id)
    return endpoint
  }

  return {
    get,
    async create({ application, secret, status = 'active', ...input }, by = {}) {
      refuseUnknown('endpoints.create', input, [...settingNames, 'application', 'secret', 'status'])
      if (!['active', 'paused', 'disabled'].includes(status)) throw expected('invalid_argument', 'status', 'active, paused or disabled', status)
      const settings = { ...blank(defaults), ...defined(input) }
      check(settings)
      checkApplication(application)
      const value = secret === undefined ? hmacSecret(randomBytes(32)) : checkSecret(secret)
      checkScheme(settings.signature, value)
      await ready()
      const applicationId = await parts.applicationId(application)
      const now = clock.now()
      const made = { createdAt: now, updatedAt: now }
      return directory.createEndpoint({
        ...settings,
        ...made,
        id: makeId('ep', now, random),
        applicationId,
        status,
        statusReason: reasonOf(status, by),
        statusSince: now,
        secrets: [{ id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }],
      })
    },
    async list({ application, text } = {}, page = {}) {
      await ready()
      const owner = application === undefined ? null : await directory.application(application)
      if (application !== undefined && owner === null) throw expected('not_found', 'application', 'the id or uid of an application that exists', application)
      return directory.listEndpoints({ applicationId: owner?.id, text }, checkPage(page))
    },
    async update(name, change) {
      refuseUnknown('endpoints.update', change, settingNames)
      const before = await get(name)
      const after = { ...settingsOf(before), ...defined(change) }
      check(after)
      const lasting = before.secrets.find(({ expiresAt }) => expiresAt === null)
      if (lasting !== undefined) checkScheme(after.signature, lasting.value)
      const endpoint = found(await directory.updateEndpoint(before.id, defined(change), clock.now()), name)
      await parts.changed(endpoint.id)
      return endpoint
    },
    pause: (name, by = {}) => setStatus(name, 'paused', 'pause', by),
    resume: (name, by = {}) => setStatus(name, 'active', 'resume', by),
    disable: (name, by = {}) => setStatus(name, 'disabled', 'disable', by),
    enable: (name, by = {}) => setStatus(name, 'active', 'enable', by),
    async revealSecret(name, by = {}) {
      const { id, secrets } = await get(name)
      await directory.note({ action: 'reveal', by: actor(by) }, id, clock.now())
      return verificationKey(secrets[0]?.value ?? '')
    },
    async rotateSecret(name, { secret, overlapMs = day } = {}, by = {}) {
      const value = secret === undefined ? hmacSecret(randomBytes(32)) : checkSecret(secret)
      checkCount('overlapMs', overlapMs, 0, 30 * day)
      const before = await get(name)
      checkScheme(before.signature, value)
      const now = clock.now()
      if (overlapMs > 0) checkLiveSecrets(liveSecrets(before.secrets, now).length)
      const added = { id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }
      const endpoint = found(await directory.rotateSecret(before.id, added, now + overlapMs, now, actor(by)), name)
      await parts.changed(endpoint.id)
      return endpoint
    },
    async delete(name, by = {}) {
      await setStatus(name, 'deleted', 'delete', by)
    },
    async counts(name, { since, until }) {
      const { id } = await get(name)
      return directory.endpointCounts(id, since, until)
    },
    async sendExample(name, eventType) {
      checkEventType(eventType, 'eventType')
      const endpoint = await get(name)
      const definition = await directory.eventType(eventType)
      const id = await parts.sendTo(endpoint, eventType, JSON.stringify(exampleOf(definition === null ? null : newestSchema(definition))))
      const message = await directory.message(id)
      if (message !== null) return message
      throw expected('not_found', 'message', 'there right after it was sent', id)
    },
  }
}

function checkLiveSecrets(count: number): void {
  if (count < mostLiveSecrets) return
  const advice = 'Wait until one expires, or rotate with an `overlapMs` of 0, which ends all others at once.'
  throw expected('wrong_state', 'secret', `one of at most ${mostLiveSecrets} that are valid at once`, `another beside ${count}`, advice)
}

/** Why an endpoint is not active, as far as somebody said so. */
function reasonOf(status: EndpointStatus, { by, reason }: By): string | null {
  if (status === 'active' || by === undefined) return null
  return `by ${by}${reason === undefined ? '' : `: ${reason}`}`
}

function blank({ policy, signature }: EndpointParts['defaults']): Omit<EndpointSettings, 'url'> {
  return { uid: null, description: '', types: [], channels: [], filter: null, headers: {}, metadata: {}, policy, signature, bodyHeader: defaultBodyHeader, ratePerSecond: null }
}

function settingsOf(endpoint: Endpoint): EndpointSettings {
  const { uid, url, description, types, channels, filter, headers, metadata, policy, signature, bodyHeader, ratePerSecond } = endpoint
  return { uid, url, description, types, channels, filter, headers, metadata, policy, signature, bodyHeader, ratePerSecond }
}

/** A schema's first example; something harmless if it has none. */
function exampleOf(schema: unknown): unknown {
  const { examples, example }: { examples?: unknown; example?: unknown } = typeof schema === 'object' && schema !== null ? schema : {}
  const first: unknown = Array.isArray(examples) ? examples[0] : example
  return first ?? { success: true }
}

/** `undefined` means "not given" in a change, as it does in a call. */
function defined<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given
}

function found(endpoint: Endpoint | null, name: EndpointName): Endpoint {
  if (endpoint !== null) return endpoint
  const given = typeof name === 'string' ? name : `${name.uid} of ${name.application}`
  throw expected('not_found', 'endpoint', 'the id, or application and uid, of an endpoint that exists', given)
}
