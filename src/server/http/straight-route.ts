import type { IncomingMessage } from 'node:http'
import { operations } from '../operations.ts'
import { NodeRequest } from '../request/api-request.ts'
import type { Reply } from '../request/idempotency.ts'
import { replyTo } from '../request/pipeline.ts'
import type { PipelineParts } from '../request/pipeline.ts'

/** Answers a request as Node's own server provides it; null if it has to go the general way. */
export type StraightRoute = (incoming: IncomingMessage) => Promise<Reply | Response> | null

/**
 * The short cut for `POST /api/v1/app/{app_id}/msg`, which is more frequent than all other requests together. A request in the form that
 * nearly every client sends goes through the same pipeline to the same operation as always; only the router, the `Request` and the
 * `Response` are left out. Anything unusual goes the general way: this file decides nothing but which of the two it is.
 */
export function straightRoute(parts: PipelineParts): StraightRoute | null {
  const operation = operations.find(({ id }) => id === 'v1.message.create')
  if (operation === undefined) return null
  const path = new RegExp(`^${operation.path.replace('{app_id}', plainName)}$`)
  return (incoming) => {
    const name = isUsual(incoming) ? path.exec(incoming.url ?? '')?.[1] : undefined
    if (name === undefined) return null
    const route = { params: { app_id: name }, connection: { incoming } }
    return replyTo(parts, operation, new NodeRequest(incoming), route)
  }
}

/** Nothing in it needs decoding, or would change in a URL. */
const plainName = String.raw`(\w[\w.~-]*)`
const host = /^[a-z0-9._-]+(:[1-5]\d{3,4}|:[6-9]\d{3})?$/

/** True if no header occurs twice, the host is an ordinary one, and there are a key and a content length. */
function isUsual({ method, headers, rawHeaders }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    headers.authorization !== undefined &&
    headers['content-length'] !== undefined &&
    headers['transfer-encoding'] === undefined &&
    host.test(headers.host ?? '') &&
    Object.keys(headers).length * 2 === rawHeaders.length
  )
}
