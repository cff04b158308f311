import { createHmac, createPrivateKey, createPublicKey, createSecretKey, sign as signBytes } from 'node:crypto'
import { Lru } from '../lru.ts'
import type { KeyObject } from 'node:crypto'
import { expected } from '../errors.ts'
import type { Instant } from '../time.ts'

/** `standard`: the Standard Webhooks headers. `body`: those, and one header with the HMAC of the bare body. */
export type SignatureScheme = 'standard' | 'body'

/** A secret of an endpoint; during a rotation several are valid. */
export interface Secret {
  readonly id: string
  /** `whsec_` and base64 (HMAC), or `whsk_` and base64 (ed25519). */
  readonly value: string
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
}

export interface SignatureInput {
  readonly scheme: SignatureScheme
  readonly bodyHeader: string
  /** The prefix of the Standard Webhooks header names. */
  readonly prefix: string
  /** Newest first; expired ones are skipped. */
  readonly secrets: readonly Secret[]
  readonly messageId: string
  readonly body: Uint8Array
  readonly now: Instant
}

export const defaultBodyHeader = 'x-webhook-signature'
export const defaultHeaderPrefix = 'webhook'
/** The prefixes that receivers look for. */
export const usualHeaderPrefixes = [defaultHeaderPrefix, 'svix']
export const hmacPrefix = 'whsec_'
export const signingKeyPrefix = 'whsk_'
export const publicKeyPrefix = 'whpk_'
/** More would make the header too long for some receivers. */
export const mostLiveSecrets = 10

/** The signature headers of one attempt, over the exact bytes that leave. */
export function signatureHeaders(input: SignatureInput): Record<string, string> {
  const timestamp = String(Math.floor(input.now / 1000))
  const live = liveSecrets(input.secrets, input.now).slice(0, mostLiveSecrets)
  if (live.length === 0)
    throw expected('invalid_secret', 'secrets', 'at least one secret that has not ended', 0, 'Rotate the secret.')

  const headers: Record<string, string> = {}
  const names = headerNames(input.prefix)
  headers[names.id] = input.messageId
  headers[names.timestamp] = timestamp
  headers[names.signature] = live
    .map((secret) => signature(secret.value, input.messageId, timestamp, input.body))
    .join(' ')
  if (input.scheme === 'body') headers[input.bodyHeader] = bodySignature(live, input.body)
  return headers
}

/** Secrets that have not expired, in the given order. */
export function liveSecrets(secrets: readonly Secret[], now: Instant): Secret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
}

/** What a receiver verifies with: the secret itself, or for ed25519 only the public key, so that only we can sign. */
export function verificationKey(secret: string): string {
  if (!secret.startsWith(signingKeyPrefix)) return secret
  const { x = '' } = createPublicKey(ed25519Key(secret)).export({ format: 'jwk' })
  return publicKeyPrefix + Buffer.from(x, 'base64url').toString('base64')
}

/** Cached for the one prefix in use: freshly built names would be slow to look up as property names. */
function headerNames(prefix: string): HeaderNames {
  const known = namesByPrefix.get(prefix)
  if (known !== undefined) return known
  const made = { id: `${prefix}-id`, timestamp: `${prefix}-timestamp`, signature: `${prefix}-signature` }
  namesByPrefix.clear()
  namesByPrefix.set(prefix, made)
  return made
}

interface HeaderNames {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

const namesByPrefix = new Map<string, HeaderNames>()

/** Refuses an invalid prefix for header names. */
export function checkHeaderPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(prefix) && prefix.length <= 50)
    return prefix.toLowerCase()
  throw expected(
    'invalid_argument',
    'headerPrefix',
    'words of letters and digits joined by dashes, such as webhook',
    prefix,
    'It goes before "-id", "-timestamp" and "-signature".',
  )
}

/** Refuses a secret that no verifier could use, without repeating it. */
export function checkSecret(value: unknown): string {
  const bytes = typeof value === 'string' ? secretBytes(value) : null
  if (typeof value === 'string' && bytes !== null && isRightLength(value, bytes.length)) return value
  throw expected(
    'invalid_secret',
    'secret',
    '"whsec_" and the base64 of 24 to 64 bytes, or "whsk_" and the base64 of an ed25519 seed of 32 bytes',
    typeof value === 'string' ? `${value.length} characters` : value,
    'Leave it out and Posthorn makes one.',
  )
}

/** Refuses a secret that the scheme cannot sign with: the signature of the bare body is an HMAC. */
export function checkScheme(scheme: SignatureScheme, secret: string): void {
  if (scheme !== 'body' || secret.startsWith(hmacPrefix)) return
  throw expected(
    'invalid_secret',
    'secret',
    'a "whsec_" secret, by which the body is signed',
    'a "whsk_" one',
    'Give another, or use the signature "standard".',
  )
}

/** The `whsec_` form of 32 random bytes. */
export function hmacSecret(bytes: Uint8Array): string {
  return hmacPrefix + Buffer.from(bytes).toString('base64')
}

/** The HMAC key of a `whsec_` secret. KeyObjects are cached: signing with a raw key is several times slower. */
export function hmacKey(secret: string): KeyObject {
  return cached(secret, () => createSecretKey(Buffer.from(secret.slice(hmacPrefix.length), 'base64')))
}

function signature(secret: string, messageId: string, timestamp: string, body: Uint8Array): string {
  const head = `${messageId}.${timestamp}.`
  if (secret.startsWith(signingKeyPrefix)) {
    const content = Buffer.concat([Buffer.from(head), body])
    return `v1a,${signBytes(null, content, ed25519Key(secret)).toString('base64')}`
  }
  return `v1,${createHmac('sha256', hmacKey(secret)).update(head).update(body).digest('base64')}`
}

/** A single signature, so during a rotation the old secret stays valid until the overlap ends. */
function bodySignature(live: readonly Secret[], body: Uint8Array): string {
  const secret = live.findLast(({ value }) => value.startsWith(hmacPrefix))
  if (secret === undefined)
    throw expected('invalid_secret', 'secrets', 'a whsec_ secret for the body signature', 'only whsk_')
  return `sha256=${createHmac('sha256', hmacKey(secret.value)).update(body).digest('hex')}`
}

// PKCS #8 wrapping of a bare ed25519 seed (RFC 8410).
const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The ed25519 private key of a `whsk_` secret: a 32-byte seed, or 64 bytes with seed and public key. */
export function ed25519Key(secret: string): KeyObject {
  return cached(secret, () => {
    const seed = Buffer.from(secret.slice(signingKeyPrefix.length), 'base64').subarray(0, 32)
    return createPrivateKey({ key: Buffer.concat([ed25519Head, seed]), format: 'der', type: 'pkcs8' })
  })
}

const mostKeys = 10_000
const keys = new Lru<string, KeyObject>(mostKeys)

function cached(secret: string, make: () => KeyObject): KeyObject {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const key = make()
  keys.set(secret, key)
  return key
}

function secretBytes(value: string): Buffer | null {
  const prefix = [hmacPrefix, signingKeyPrefix].find((start) => value.startsWith(start))
  const text = prefix === undefined ? '' : value.slice(prefix.length)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64') : null
}

function isRightLength(value: string, length: number): boolean {
  return value.startsWith(hmacPrefix) ? length >= 24 && length <= 64 : length === 32 || length === 64
}
