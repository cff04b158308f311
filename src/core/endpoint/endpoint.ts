import { expected, PosthornError } from '../errors.ts'
import { isAnyId } from '../ids.ts'
import { authenticationHeaderName, checkAuthentication } from './authentication.ts'
import type { Authentication } from './authentication.ts'
import { checkEventType } from '../message/message.ts'
import { checkCount } from '../limits/limits.ts'
import { checkFilter } from '../message/payload-filter.ts'
import type { PayloadFilter } from '../message/payload-filter.ts'
import { defaultHeaderPrefix, usualHeaderPrefixes } from '../signing/signature.ts'
import type { Secret, SignatureScheme } from '../signing/signature.ts'
import type { Instant } from '../time.ts'
import { urlOf } from '../url.ts'

/** A tenant: the customer who owns the endpoints. */
export interface Application {
  readonly id: string
  /** Your own system's id for it. */
  readonly uid: string | null
  readonly name: string
  /** Any data you want to store with it. */
  readonly metadata: Readonly<Record<string, string>>
  /** Deliveries per second to all its endpoints together, across all workers; null for no limit. */
  readonly ratePerSecond: number | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** `active` gets deliveries; `paused` collects them; `disabled` gets nothing new; `deleted` is gone. */
export type EndpointStatus = 'active' | 'paused' | 'disabled' | 'deleted'

/** A URL of an application, with everything that an attempt needs to know. */
export interface Endpoint {
  readonly id: string
  readonly applicationId: string
  readonly uid: string | null
  readonly url: string
  readonly description: string
  readonly status: EndpointStatus
  /** Who or what paused or disabled it. */
  readonly statusReason: string | null
  readonly statusSince: Instant
  /** Event types it subscribes to: exact, or `invoice.*` for any depth below. Empty means all. */
  readonly types: readonly string[]
  /** Channels it listens to. Empty means all. */
  readonly channels: readonly string[]
  /** The filter that a body must match; null accepts every body. */
  readonly filter: PayloadFilter | null
  readonly headers: Readonly<Record<string, string>>
  /** How we prove who we are, beyond the signature; null if we do not. */
  readonly authentication: Authentication | null
  /** Any data you want to store with it. */
  readonly metadata: Readonly<Record<string, string>>
  readonly policy: string
  readonly signature: SignatureScheme
  readonly bodyHeader: string
  /** Deliveries per second across all workers; null for no limit. */
  readonly ratePerSecond: number | null
  /** Newest first. */
  readonly secrets: readonly Secret[]
  /** Why its secrets and headers could not be decrypted, if so: they are left out, and its deliveries wait. */
  readonly unreadable?: string | undefined
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** An endpoint with the rate limit that it shares with the others of its application. */
export interface EndpointWithLimits extends Endpoint {
  readonly applicationRatePerSecond: number | null
}

/** Refuses an endpoint whose secrets cannot be decrypted, where they are needed. */
export function withSecrets(endpoint: Endpoint): Endpoint {
  if (endpoint.unreadable === undefined) return endpoint
  throw new PosthornError('secrets_unreadable', endpoint.unreadable)
}

/** An endpoint as it is stored: a deleted one keeps no secrets or credentials. */
export function withoutDeadSecrets(endpoint: Endpoint): Endpoint {
  return endpoint.status === 'deleted' ? { ...endpoint, secrets: [], headers: {}, authentication: null } : endpoint
}

/** The fields of an endpoint that a user may set. */
export type EndpointSettings = Pick<
  Endpoint,
  | 'uid'
  | 'url'
  | 'description'
  | 'types'
  | 'channels'
  | 'filter'
  | 'headers'
  | 'authentication'
  | 'metadata'
  | 'policy'
  | 'signature'
  | 'bodyHeader'
  | 'ratePerSecond'
>

// Reserved for HTTP itself, or for the signature.
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'accept-encoding',
  'user-agent',
])
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const mostHeaders = 50
const mostFilters = 200
const mostMetadata = 50

/** Refuses settings that would make a later attempt throw: by then there is nobody to report the error to. */
export function checkEndpoint(settings: EndpointSettings, headerPrefix: string = defaultHeaderPrefix): void {
  checkUrl(settings.url)
  if (settings.uid !== null) checkUid(settings.uid)
  checkList('types', settings.types, checkTypeFilter)
  checkList('channels', settings.channels, checkChannel)
  if (settings.filter !== null) checkFilter(settings.filter)
  checkMetadata(settings.metadata)
  checkHeaders(settings, headerPrefix)
  if (settings.authentication !== null) checkCredentials(settings, settings.authentication, headerPrefix)
  checkSignature(settings.signature)
  if (settings.ratePerSecond !== null) checkCount('ratePerSecond', settings.ratePerSecond, 1, 100_000)
  checkDescription(settings.description)
}

/** The URL as the WHATWG parser reads it; the guard decides whether its address may be called. */
export function checkUrl(text: unknown, name = 'url'): URL {
  const advice = 'Give the full URL of the receiver, such as https://example.com/hooks.'
  const url = typeof text === 'string' && text.length <= 2000 ? urlOf(text) : null
  if (url === null) {
    throw expected(
      'invalid_url',
      name,
      'an absolute http(s) URL of at most 2000 characters',
      withoutCredentials(text),
      advice,
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw expected('invalid_url', name, 'an http(s) URL', withoutCredentials(text), advice)
  }
  if (url.username !== '' || url.password !== '') {
    throw expected(
      'invalid_url',
      name,
      'a URL without user name or password',
      `one for ${url.host}`,
      'Put credentials into `headers`.',
    )
  }
  return url
}

/** The user's own id for an application or endpoint; one that looks like one of our ids could be ambiguous. */
export function checkUid(uid: unknown, name = 'uid'): string {
  if (typeof uid === 'string' && /^[A-Za-z0-9._:@/-]{1,256}$/.test(uid) && !isAnyId(uid)) return uid
  throw expected(
    'invalid_argument',
    name,
    "1 to 256 letters, digits or . _ : @ / -, and not of the form of Posthorn's own ids",
    uid,
  )
}

/** Refuses anything but a small table of texts. */
export function checkMetadata(metadata: unknown): void {
  const entries =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? Object.entries(metadata) : null
  const fits =
    entries !== null &&
    entries.length <= mostMetadata &&
    entries.every(([name, value]) => name.length <= 256 && typeof value === 'string' && value.length <= 4096)
  if (!fits)
    throw expected(
      'invalid_argument',
      'metadata',
      `an object of at most ${mostMetadata} texts of at most 4096 characters`,
      metadata,
    )
}

export function checkChannel(channel: unknown): void {
  if (typeof channel === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(channel)) return
  throw expected('invalid_argument', 'channels', 'made of 1 to 128 letters, digits or . _ : -', channel)
}

/** Error messages are logged and shown: they must not contain a password from a URL. */
function withoutCredentials(text: unknown): unknown {
  return typeof text === 'string' ? text.replace(/^.*@/s, '…@') : text
}

function checkList(name: string, list: unknown, check: (each: unknown) => void): void {
  if (!Array.isArray(list) || list.length > mostFilters) {
    throw expected('invalid_argument', name, `a list of at most ${mostFilters}`, list)
  }
  for (const each of list) check(each)
}

function checkTypeFilter(filter: unknown): void {
  checkEventType(typeof filter === 'string' && filter.endsWith('.*') ? filter.slice(0, -2) : filter, 'types')
}

function checkHeaders(settings: EndpointSettings, prefix: string): void {
  for (const [name, value] of checkHeaderCount(settings.headers)) checkHeader('headers', name, value, prefix)
  // Next to a prefix such as x-webhook the default name is allowed, because nothing is sent under it.
  checkHeader('bodyHeader', settings.bodyHeader, '', settings.signature === 'body' ? prefix : defaultHeaderPrefix)
  checkNoClash(settings)
}

function checkHeaderCount(headers: Readonly<Record<string, string>>): [string, unknown][] {
  const entries = typeof headers === 'object' && headers !== null ? Object.entries(headers) : null
  if (entries !== null && entries.length <= mostHeaders) return entries
  throw expected('invalid_header', 'headers', `an object of at most ${mostHeaders} headers`, entries?.length ?? headers)
}

function checkHeader(setting: string, name: unknown, value: unknown, prefix: string): void {
  if (typeof name !== 'string' || !headerName.test(name)) {
    throw expected('invalid_header', setting, 'named by 1 to 100 letters, digits and dashes', name)
  }
  const lower = name.toLowerCase()
  // Receivers look for a signature under the well-known prefixes, whichever this endpoint uses: no header may imitate one.
  if (reservedHeaders.has(lower) || [prefix, ...usualHeaderPrefixes].some((each) => lower.startsWith(`${each}-`))) {
    throw expected(
      'invalid_header',
      setting,
      'free of names that HTTP or the signature uses',
      name,
      'Choose another name.',
    )
  }
  if (typeof value !== 'string' || value.length > 4096 || !/^[\t\x20-\x7e]*$/.test(value)) {
    throw expected(
      'invalid_header',
      `headers.${name}`,
      'printable ASCII of at most 4096 characters',
      typeof value === 'string' ? 'other text' : value,
    )
  }
}

/** A user's header with the signature's name would be sent twice, and the receiver could read the wrong one. */
function checkNoClash({ signature, bodyHeader, headers }: EndpointSettings): void {
  const clash = Object.keys(headers).find((name) => name.toLowerCase() === bodyHeader.toLowerCase())
  if (signature !== 'body' || clash === undefined) return
  throw expected(
    'invalid_header',
    'headers',
    `free of the signature's own header, ${bodyHeader}`,
    clash,
    'Choose another name.',
  )
}

/** Checks its fields, and that none of the user's own headers has the same name. */
function checkCredentials(
  { url, headers, signature, bodyHeader }: EndpointSettings,
  given: Authentication,
  prefix: string,
): void {
  const { oauth2, apiKey, clientCertificate } = checkAuthentication(given)
  if (clientCertificate !== undefined && checkUrl(url).protocol !== 'https:')
    throw expected('invalid_url', 'url', 'an https URL where a client certificate is to be presented', 'an http one')
  if (oauth2 !== undefined) checkUrl(oauth2.tokenUrl, 'authentication.oauth2.tokenUrl')
  if (apiKey !== undefined) checkHeader('authentication.apiKey.header', apiKey.header, '', prefix)
  const name = authenticationHeaderName(given)?.toLowerCase()
  const taken = [...Object.keys(headers), ...(signature === 'body' ? [bodyHeader] : [])]
  const clash = taken.find((each) => each.toLowerCase() === name)
  if (clash === undefined) return
  const advice = 'Take the header away, or leave it out of `authentication`.'
  throw expected('invalid_header', 'headers', "free of the authentication's own header", clash, advice)
}

function checkSignature(signature: unknown): void {
  if (signature === 'standard' || signature === 'body') return
  throw expected('invalid_argument', 'signature', '"standard" or "body"', signature)
}

function checkDescription(description: unknown): void {
  if (typeof description === 'string' && description.length <= 1000) return
  throw expected('invalid_argument', 'description', 'text of at most 1000 characters', description)
}
