import { createHash } from 'node:crypto'
import { day, minute } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'
import { refusal, unprocessable } from '../errors/error-response.ts'
import type { Call } from '../operation.ts'
import type { ApiRequest } from './api-request.ts'
import { pathOf, searchOf } from '../http/url.ts'

/** What a key is bound to: the same key of another caller, or for another call, is a different key. */
interface Repeatable {
  readonly key: string
  readonly callerId: string
  /** The application; null if there is none. */
  readonly applicationId: string | null
  readonly method: string
  readonly path: string
  readonly search: string
  readonly bytes: Uint8Array
}

/** What the key of a call is bound to. */
export function repeatable(
  { caller, request, bytes, applicationId }: Pick<Call, 'caller' | 'request' | 'bytes' | 'applicationId'>,
  key: string,
): Repeatable {
  const { method, url } = request
  return { key, callerId: caller.id, applicationId, method, path: pathOf(url), search: searchOf(url), bytes }
}

// If the process dies meanwhile, the key is free again after this.
const heldMs = minute

/** Executes something once per key: for a day, a repeat gets the first response again. Only successful responses are stored. */
export async function once(
  posthorn: Posthorn,
  request: Repeatable,
  work: () => Promise<Reply | Response>,
): Promise<Reply | Response> {
  const key = hash(request.callerId, request.method, request.path, request.key)
  const requestHash = hash(request.search, request.bytes)
  const now = posthorn.now()
  const taken = await posthorn.replies.takeReply({
    key,
    requestHash,
    applicationId: request.applicationId,
    now,
    until: now + heldMs,
  })
  switch (taken.kind) {
    case 'kept':
      return { status: taken.status, text: taken.body === '' ? null : taken.body }
    case 'busy':
      return refusal(
        409,
        'in_flight',
        'A request with this idempotency-key is under way. Wait for its answer, or repeat this one later.',
      )
    case 'conflict':
      return refusal(
        409,
        'idempotency_conflict',
        'This idempotency-key was used for another request. Take a new key, or repeat the first request as it was.',
      )
    case 'taken':
      return keep(posthorn, key, work)
  }
}

/** The response of an operation, as text. */
export interface Reply {
  readonly status: number
  readonly text: string | null
}

/** The key of a request; null if it has none. */
export function idempotencyKey(request: Pick<ApiRequest, 'headers'>): string | null | Response {
  const key = request.headers.get('idempotency-key')
  if (key === null || /^[\x20-\x7e]{1,256}$/.test(key)) return key
  return unprocessable([
    {
      loc: ['header', 'idempotency-key'],
      msg: 'Expected `idempotency-key` to be 1 to 256 printable characters of ASCII.',
      type: 'value_error.idempotency_key',
    },
  ])
}

async function keep(posthorn: Posthorn, key: string, work: () => Promise<Reply | Response>): Promise<Reply | Response> {
  let reply: Reply | Response
  try {
    reply = await work()
  } catch (thrown) {
    // Nothing was done, so the next request with this key may try. If this fails, too, the key expires.
    await posthorn.replies.dropReply(key).catch(() => undefined)
    throw thrown
  }
  // A `Response` can be read only once, and no repeatable POST answers with one.
  if (!(reply instanceof Response) && reply.status < 300)
    await posthorn.replies.saveReply({
      key,
      status: reply.status,
      body: reply.text ?? '',
      applicationId: createdApplication(reply.text),
      expiresAt: posthorn.now() + day,
    })
  else await posthorn.replies.dropReply(key)
  return reply
}

/** An application that the request has created: the response is erased with it. */
function createdApplication(text: string | null): string | null {
  const [, id = null] = /^\{[^{}[\]]*"id":"(app_[0-9a-z]+)"/.exec(text ?? '') ?? []
  return id
}

/** Each part with its length, so that two different lists never look the same. */
function hash(...parts: readonly (string | Uint8Array)[]): string {
  const sum = createHash('sha256')
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    sum.update(`${bytes.length}:`).update(bytes)
  }
  return sum.digest('hex')
}
