import { mostBodyBytes } from '../../core/message/message.ts'
import { refusal, unprocessable } from '../errors/error-response.ts'

/** A body of the largest size, and 64 KiB for what is around it. */
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
  if (isTooDeep(bytes))
    return unprocessable([
      { loc: ['body'], msg: `Expected JSON of at most ${mostDepth} levels.`, type: 'value_error.too_deep' },
    ])
  try {
    return { value: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return unprocessable([{ loc: ['body'], msg: 'Expected JSON in UTF-8.', type: 'value_error.jsondecode' }])
  }
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
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (byte === quote) index = endOfString(bytes, index)
    else if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
    if (depth > mostDepth) return true
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
