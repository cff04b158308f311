import { mostBodyBytes } from '../../core/message.ts'
import type { Instant } from '../../core/time.ts'
import { refusal, unprocessable } from '../errors/error-response.ts'

/** A body of the largest size, and room for what is around it. */
export const mostRequestBytes = mostBodyBytes + 64 * 1024
const mostDepth = 64

/** The body, read as far as it is allowed to be; or the answer that refuses it. */
export async function readBody(request: Request, mostBytes = mostRequestBytes): Promise<Uint8Array | Response> {
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) > mostBytes) return tooLarge(mostBytes)
  // With its length given, Node itself reads no more than that.
  if (length === null && request.body !== null) return readCounted(request.body, mostBytes)
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > mostBytes ? tooLarge(mostBytes) : bytes
}

/** The value of a JSON text; an empty one is an empty object, so that what is missing is named. */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | Response {
  if (bytes.length === 0) return { value: {} }
  if (isTooDeep(bytes)) return unprocessable([{ loc: ['body'], msg: `Expected JSON of at most ${mostDepth} levels.`, type: 'value_error.too_deep' }])
  try {
    return { value: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return unprocessable([{ loc: ['body'], msg: 'Expected JSON in UTF-8.', type: 'value_error.jsondecode' }])
  }
}

/** Lets so many calls through per second and key, and as many at once after a quiet second. */
export interface RateLimit {
  /** Null if the call may go on, else the answer that refuses it. */
  check(keyId: string): Response | null
}

// Forgotten keys start with a full bucket, so the bound costs nothing but memory.
const mostBuckets = 10_000

export function makeRateLimit(perSecond: number, now: () => Instant): RateLimit {
  const buckets = new Map<string, { tokens: number; at: Instant }>()

  function bucketOf(keyId: string, at: Instant): { tokens: number; at: Instant } {
    const known = buckets.get(keyId)
    if (known !== undefined) return known
    const oldest = buckets.keys().next().value
    if (buckets.size >= mostBuckets && oldest !== undefined) buckets.delete(oldest)
    const made = { tokens: perSecond, at }
    buckets.set(keyId, made)
    return made
  }

  return {
    check(keyId) {
      if (perSecond === 0) return null
      const at = now()
      const bucket = bucketOf(keyId, at)
      // A clock that was set back gives nothing and takes nothing.
      bucket.tokens = Math.min(perSecond, bucket.tokens + (Math.max(0, at - bucket.at) / 1_000) * perSecond)
      bucket.at = at
      if (bucket.tokens < 1) return tooMany(Math.ceil((1 - bucket.tokens) / perSecond), perSecond)
      bucket.tokens -= 1
      return null
    },
  }
}

/** Counts what is under way, and refuses more than so many at once. */
export interface ConcurrencyLimit {
  enter(): boolean
  leave(): void
}

export function makeConcurrencyLimit(most: number): ConcurrencyLimit {
  let inside = 0
  return {
    enter() {
      if (inside >= most) return false
      inside += 1
      return true
    },
    leave() {
      inside -= 1
    },
  }
}

export function overloaded(): Response {
  return refusal(503, 'overloaded', 'Too many requests are under way. Repeat this one later.', { 'retry-after': '1' })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function readCounted(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<Uint8Array | Response> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > mostBytes) return tooLarge(mostBytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Counts brackets outside of strings, before anything recursive sees the value. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0
  let isText = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (isText) {
      if (byte === backslash) index += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === openBrace || byte === openBracket) {
      depth += 1
      if (depth > mostDepth) return true
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function tooLarge(mostBytes: number): Response {
  return refusal(413, 'body_too_large', `Expected a body of at most ${mostBytes} bytes. Send a link to the data instead.`)
}

function tooMany(afterSeconds: number, perSecond: number): Response {
  return refusal(429, 'rate_limited', `This key may call ${perSecond} times per second. Repeat the request later.`, { 'retry-after': String(afterSeconds) })
}
