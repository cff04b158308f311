import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Handler } from '../handler.ts'

/** The function that `http.createServer`, express and connect call. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Turns the handler into a listener for Node's own HTTP server, for hosts without `Request`. */
export function toNodeListener(handler: Handler): NodeListener {
  // The host's own `Request` is left alone.
  const listener = getRequestListener(handler, { overrideGlobalObjects: false })
  return async (request, response) => {
    if (isSpent(request)) return complain(response)
    // Express and connect strip the mount path; the handler knows it as its base path.
    if ('originalUrl' in request && typeof request.originalUrl === 'string') request.url = request.originalUrl
    await listener(request, response)
  }
}

/** Whether somebody has already read the body: then its exact bytes are gone. */
function isSpent(request: IncomingMessage): boolean {
  return request.readableDidRead && request.headers['content-length'] !== '0' && !('rawBody' in request)
}

function complain(response: ServerResponse): void {
  const detail = 'The body was read before Posthorn could: mount it before express.json() and other body parsers.'
  response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ code: 'body_was_read', detail }))
}
