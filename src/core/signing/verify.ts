import { createHmac, createPublicKey, timingSafeEqual, verify as verifyBytes } from 'node:crypto'
import { expected, PosthornError } from '../errors.ts'
import {
  checkSecret,
  defaultBodyHeader,
  defaultHeaderPrefix,
  ed25519Key,
  hmacKey,
  hmacPrefix,
  publicKeyPrefix,
  signingKeyPrefix,
  usualHeaderPrefixes,
} from './signature.ts'

/** Header names in any case, with values as Node or a web framework provides them. */
export type ReceivedHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

interface VerifyOptions {
  /** How far the timestamp may be from now; the Standard Webhooks default is five minutes. */
  readonly toleranceSeconds?: number
  /** The prefix of the header names, if other than `webhook` and `svix`, which are always tried. */
  readonly prefix?: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Verified {
  /** The same for every repeat of one message: use it to drop duplicates. */
  readonly messageId: string
  readonly timestamp: number
}

/**
 * Checks, by the Standard Webhooks headers, that a request came from the holder of the secret and was not changed.
 * Give it the exact bytes of the body, not the parsed JSON. A `whsec_` secret checks `v1`, `whsk_` or `whpk_` check `v1a`.
 */
export function verifySignature(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string,
  options: VerifyOptions,
): Verified {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const prefix = prefixOf(headers, options.prefix)
  const messageId = header(headers, `${prefix}-id`)
  const timestamp = header(headers, `${prefix}-timestamp`)
  const signatures = header(headers, `${prefix}-signature`).split(' ')

  if (!/^\d{1,12}$/.test(timestamp))
    throw expected('invalid_signature', `${prefix}-timestamp`, 'seconds since the epoch', timestamp)
  const age = Math.abs(options.now / 1000 - Number(timestamp))
  const tolerance = options.toleranceSeconds ?? 300
  if (age > tolerance) {
    throw expected(
      'stale_signature',
      `${prefix}-timestamp`,
      `within ${tolerance} s of now`,
      `${Math.round(age)} s away`,
      'Check the clock; this may be a replay.',
    )
  }

  const content = Buffer.concat([Buffer.from(`${messageId}.${timestamp}.`), bytes])
  const matches = secret.startsWith(hmacPrefix)
    ? hmacMatcher(checkSecret(secret), content)
    : ed25519Matcher(secret, content)
  if (!signatures.some(matches)) throw mismatch(`${prefix}-signature`)
  return { messageId, timestamp: Number(timestamp) }
}

/** Checks the body-only scheme: `<header>: sha256=<hex HMAC of the body>`. It carries no timestamp, so it cannot detect a replay. */
export function verifyBodySignature(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string,
  name = defaultBodyHeader,
): void {
  if (!secret.startsWith(hmacPrefix))
    throw expected('invalid_secret', 'secret', 'a secret that begins whsec_', 'another kind')
  const wanted = `sha256=${createHmac('sha256', hmacKey(checkSecret(secret)))
    .update(body)
    .digest('hex')}`
  if (!sameText(header(headers, name), wanted)) throw mismatch(name)
}

function hmacMatcher(secret: string, content: Buffer): (signature: string) => boolean {
  const wanted = `v1,${createHmac('sha256', hmacKey(secret)).update(content).digest('base64')}`
  return (signature) => sameText(signature, wanted)
}

// SubjectPublicKeyInfo of a bare ed25519 key (RFC 8410).
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex')

function ed25519Matcher(secret: string, content: Buffer): (signature: string) => boolean {
  const key = secret.startsWith(signingKeyPrefix) ? createPublicKey(ed25519Key(checkSecret(secret))) : publicKey(secret)
  return (signature) =>
    signature.startsWith('v1a,') && verifyBytes(null, content, key, Buffer.from(signature.slice(4), 'base64'))
}

function publicKey(text: string): ReturnType<typeof createPublicKey> {
  const bytes = text.startsWith(publicKeyPrefix)
    ? Buffer.from(text.slice(publicKeyPrefix.length), 'base64')
    : Buffer.alloc(0)
  if (bytes.length !== 32)
    throw expected(
      'invalid_secret',
      'secret',
      'a secret that begins whsec_, whsk_ or whpk_',
      `${text.length} characters`,
    )
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' })
}

/** The prefix of the signature headers: the given one, or the first of the usual ones. */
function prefixOf(headers: ReceivedHeaders, given: string | undefined): string {
  const prefixes = given === undefined ? usualHeaderPrefixes : [given, ...usualHeaderPrefixes]
  return prefixes.find((prefix) => headerText(headers, `${prefix}-signature`) !== null) ?? given ?? defaultHeaderPrefix
}

function header(headers: ReceivedHeaders, name: string): string {
  const text = headerText(headers, name)
  if (text !== null) return text
  throw new PosthornError(
    'invalid_signature',
    `Expected the header \`${name}\`, and it is missing. Is the request from Posthorn?`,
  )
}

function headerText(headers: ReceivedHeaders, name: string): string | null {
  const value = isGetter(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  const text = Array.isArray(value) ? value.join(' ') : value
  return typeof text === 'string' && text !== '' ? text : null
}

function isGetter(headers: ReceivedHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function sameText(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function mismatch(name: string): PosthornError {
  return new PosthornError(
    'invalid_signature',
    `No signature in \`${name}\` matches this body and secret. Check that the secret is this endpoint's, and that the body is passed as received, byte for byte.`,
  )
}
