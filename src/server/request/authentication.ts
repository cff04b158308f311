import { hash, timingSafeEqual } from 'node:crypto'
import type { Posthorn } from '../../posthorn.ts'
import { isOwnPage, sessionIn } from '../http/session-cookie.ts'
import { refusal } from '../errors/error-response.ts'
import type { ApiRequest } from './api-request.ts'
import type { Caller } from './caller.ts'

/** Returns who is calling, or null if unknown. */
export type Authorize = (request: Request) => Promise<Caller | null> | Caller | null

/** The same for less than a complete `Request`. */
export type Authenticate = (request: ApiRequest) => Promise<Caller | null> | Caller | null

const mostTokenLength = 512

/** How callers are identified: with each request, or once, for a browser, which then has a cookie. */
export interface Authentication {
  readonly authorize: Authenticate
  /** The caller for a key; null if there is no such key. */
  readonly callerOf: (token: string) => Promise<Caller | null>
  /** The caller for a session; null if there is none, or it has expired. */
  readonly callerInSession: (token: string) => Promise<Caller | null>
}

/** Identifies callers by their API key, by the key that the server was started with, or by the session of a browser that presented one. */
export function byKey(posthorn: Posthorn, adminKey: string | null): Authentication {
  const adminHash = adminKey === null ? null : digest(adminKey)
  // Sessions of an admin key end when the server is started with another one.
  const admin: Caller = {
    id: `admin_${adminHash?.toString('hex').slice(0, 16) ?? ''}`,
    name: 'admin',
    applicationId: null,
    access: 'write',
  }

  async function callerOf(token: string): Promise<Caller | null> {
    // Hashes have a fixed length and differ everywhere: the duration of the comparison reveals nothing.
    if (adminHash !== null && timingSafeEqual(adminHash, digest(token))) return admin
    const key = await posthorn.keys.find(token)
    return key === null || key.sessionOf !== null ? null : key
  }

  async function callerInSession(token: string): Promise<Caller | null> {
    const key = await posthorn.keys.find(token)
    if (key === null || key.sessionOf === null) return null
    return key.sessionOf.startsWith('admin') && key.sessionOf !== admin.id ? null : key
  }

  return {
    callerOf,
    callerInSession,
    async authorize(request) {
      const header = request.headers.get('authorization')
      if (header !== null) {
        const token = bearerToken(header)
        return token === null ? null : callerOf(token)
      }
      const session = sessionIn(request.headers)
      return session === null || !isOwnPage(request) ? null : callerInSession(session)
    },
  }
}

/** Lets callers on this machine in. A foreign page in a local browser can send requests, too: the headers that browsers add reveal it. */
export function keyless(byKeys: Authenticate): Authenticate {
  return (request) => {
    const { headers } = request
    if (headers.has('authorization')) return byKeys(request)
    const { hostname, origin } = new URL(request.url)
    const from = headers.get('origin') ?? origin
    const site = headers.get('sec-fetch-site') ?? 'none'
    const isLocal = isLoopback(hostname) && from === origin && ['none', 'same-origin'].includes(site)
    return isLocal ? { id: 'dev', name: 'dev', applicationId: null, access: 'write' } : null
  }
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname)
}

export function unauthenticated(): Response {
  return refusal(401, 'authentication_failed', 'Expected `Authorization: Bearer <key>` with a key that is valid now.', {
    'www-authenticate': 'Bearer',
  })
}

function bearerToken(header: string | null): string | null {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  return token === undefined || token.length > mostTokenLength ? null : token
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
