import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Handler } from './handler.ts'

/** What `http.createServer`, express and connect call. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Turns the handler into a listener of Node's own HTTP server, for hosts that know no `Request`. */
export function toNodeListener(handler: Handler): NodeListener {
  // The host's own `Request` stays what it is.
  return getRequestListener(handler, { overrideGlobalObjects: false })
}
