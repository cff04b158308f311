import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import { checkBody } from '../../../core/message/message.ts'
import { cutValue } from '../../request/json-value-bytes.ts'
import type { messageIn } from '../../schemas/svix/message.ts'

/** The part of a message that is signed and sent: exactly these bytes, with this content type. */
interface MessageBody {
  readonly payload: Uint8Array
  readonly contentType: string | undefined
  /** True for a `payload`: its schema has checked that it is a JSON object. A raw body can be anything. */
  readonly isObject: boolean
}

const raw = 'transformationsParams.rawPayload'

/** The bytes of a message: those of `payload` as received, or the text of `rawPayload`. */
export function bodyOf(given: z.output<typeof messageIn>, bytes: Uint8Array): MessageBody {
  const { rawPayload, headers } = given.transformationsParams ?? {}
  const contentType = contentTypeIn(headers ?? {})
  if (rawPayload === null || rawPayload === undefined)
    return { payload: cutValue(bytes, 'payload') ?? bytes, contentType, isObject: true }
  // Half of a surrogate pair has no bytes in UTF-8: another character would be sent in its place.
  if (!isWellFormed(rawPayload)) throw expected('invalid_argument', raw, 'Unicode text', 'half of a surrogate pair')
  checkAgreement(given.payload, rawPayload)
  return { payload: checkBody(Buffer.from(rawPayload), raw), contentType, isObject: false }
}

/** Clients that send raw bodies leave the payload empty. Anything else is a mistake: only one of the two can be sent. */
function checkAgreement(payload: Readonly<Record<string, unknown>>, rawPayload: string): void {
  if (Object.keys(payload).length === 0 || isDeepStrictEqual(parsed(rawPayload), payload)) return
  throw expected(
    'invalid_argument',
    raw,
    'the only body, or the same as `payload`',
    'another one',
    'Leave `payload` empty: {}.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const mediaType =
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}( *; *[\w!#$&^.+-]+=("[\x20\x21\x23-\x5b\x5d-\x7e]*"|[\w!#$&^.+/:-]+))*$/
const mostContentTypeLength = 200

/** Of the headers that a raw body can come with, the only one that belongs to the message. */
function contentTypeIn(headers: Readonly<Record<string, string>>): string | undefined {
  let contentType: string | undefined
  for (const [name, value] of Object.entries(headers)) {
    const field = `transformationsParams.headers.${name}`
    if (name.toLowerCase() !== 'content-type')
      throw expected(
        'invalid_header',
        field,
        'left out: only content-type goes with a message',
        value,
        'Set other headers at the endpoint.',
      )
    if (value.length > mostContentTypeLength || !mediaType.test(value))
      throw expected('invalid_header', field, 'a media type such as text/xml; charset=utf-8', value)
    contentType = value
  }
  return contentType
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
