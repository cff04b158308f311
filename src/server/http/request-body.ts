import { mostBodyBytes } from '../../core/message/message.ts'
import { RequestAborted } from '../errors/request-aborted.ts'
import { refusal, unprocessable } from '../errors/error-response.ts'
import { NodeRequest } from '../request/api-request.ts'
import type { ApiRequest } from '../request/api-request.ts'

/** The largest body, plus 64 KiB for what surrounds it. */
export const mostRequestBytes = mostBodyBytes + 64 * 1024
const mostDepth = 64

/** Reserves memory for more bytes: null, or the response that refuses them. */
export type ReserveBytes = (bytes: number) => Response | null

/** The body, read up to the limit; or the response that refuses it. */
export async function readBody(
  request: ApiRequest,
  mostBytes = mostRequestBytes,
  reserve: ReserveBytes = () => null,
): Promise<Uint8Array | Response> {
  const length = lengthOf(request)
  if (length !== null && length > mostBytes) return tooLarge(mostBytes)
  // Before a byte is read: the declared length is what the body takes.
  const refused = length === null ? null : reserve(length)
  if (refused !== null) return refused
  if (request.bodyUsed) throw new TypeError('The body was read before the API could.')
  try {
    return await read(request, length, mostBytes, reserve)
  } catch (cause) {
    // Nothing else ends a body early: its caller has left, or took too long.
    throw new RequestAborted(cause)
  }
}

async function read(
  request: ApiRequest,
  length: number | null,
  mostBytes: number,
  reserve: ReserveBytes,
): Promise<Uint8Array | Response> {
  // With a declared length, Node itself reads no more than that.
  if (request instanceof NodeRequest) return request.body()
  if (length === null && request.body !== null) return readCounted(request.body, mostBytes, reserve)
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > mostBytes ? tooLarge(mostBytes) : bytes
}

/** The declared length of a request; null if it is missing or invalid. */
function lengthOf({ headers }: ApiRequest): number | null {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** The parsed JSON; an empty text counts as an empty object, so that missing fields are named. */
export function parseJson(bytes: Uint8Array, deepest = mostDepth): { readonly value: unknown } | Response {
  if (bytes.length === 0) return { value: {} }
  if (isTooDeep(bytes, deepest))
    return unprocessable([
      { loc: ['body'], msg: `Expected JSON of at most ${deepest} levels.`, type: 'value_error.too_deep' },
    ])
  try {
    return { value: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return unprocessable([{ loc: ['body'], msg: 'Expected JSON in UTF-8.', type: 'value_error.jsondecode' }])
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

async function readCounted(
  body: ReadableStream<Uint8Array>,
  mostBytes: number,
  reserve: ReserveBytes,
): Promise<Uint8Array | Response> {
  let bytes: Uint8Array = new Uint8Array(firstBytes)
  let size = 0
  for await (const part of body) {
    if (size + part.length > mostBytes) return tooLarge(mostBytes)
    const refused = reserve(part.length)
    if (refused !== null) return refused
    // Copied at once: for a body that arrives byte by byte, keeping each chunk would take a hundred times its size.
    bytes = ofLength(bytes, size + part.length)
    bytes.set(part, size)
    size += part.length
  }
  return bytes.slice(0, size)
}

const firstBytes = 4 * 1024

/** The same bytes with capacity for more; doubled, so that not every chunk copies them. */
function ofLength(bytes: Uint8Array, least: number): Uint8Array {
  if (bytes.length >= least) return bytes
  const longer = new Uint8Array(Math.max(least, 2 * bytes.length))
  longer.set(bytes)
  return longer
}

/** Counts brackets outside of strings, before anything recursive sees the value. */
function isTooDeep(bytes: Uint8Array, deepest: number): boolean {
  let depth = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (byte === quote) index = endOfString(bytes, index)
    else if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
    if (depth > deepest) return true
  }
  return false
}

/** The index of a string's closing quote, or the end of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1
  return index
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function tooLarge(mostBytes: number): Response {
  return refusal(
    413,
    'body_too_large',
    `Expected a body of at most ${mostBytes} bytes. Send a link to the data instead.`,
  )
}
