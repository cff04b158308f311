import { hash, randomBytes } from 'node:crypto'
import type { Actor } from '../core/ports/audit.ts'
import { expected } from '../core/errors.ts'
import { checkId, isId, makeId } from '../core/ids.ts'
import { isLive } from '../core/ports/key.ts'
import type { Access, ApiKey, PortalAccess } from '../core/ports/key.ts'
import type { Page } from '../core/ports/directory.ts'
import { hour } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'
import { makeShortCache } from './short-cache.ts'
import type { ShortCache } from './short-cache.ts'

export interface KeyInput {
  readonly name: string
  /** The one application that it is for; all of them, and the server itself, if not given. */
  readonly application?: string | undefined
  /** `write` if not given. */
  readonly access?: Access | undefined
  readonly expiresAt?: Date | Instant | undefined
  /** Makes it a customer's link to the portal: it can neither send nor erase messages, nor choose a retry policy. */
  readonly portal?: PortalAccess | undefined
}

/** The keys of the HTTP API. A key is shown once, when it is created: only its hash is kept. */
export interface Keys {
  create(input: KeyInput, by?: By): Promise<{ key: ApiKey; token: string }>
  /** A key for twelve hours in the place of another, for a browser's cookie. It has the other's access, and ends with it. */
  openSession(of: SessionOwner): Promise<{ key: ApiKey; token: string }>
  endSession(id: string): Promise<void>
  /** The living key that a token stands for; null if there is none. One that was revoked elsewhere is refused within 5 seconds. */
  find(token: string): Promise<ApiKey | null>
  /** Those that live, newest first. */
  list(filter?: { readonly application?: string | undefined }, page?: Partial<Page>): Promise<ApiKey[]>
  revoke(id: string, by?: By): Promise<ApiKey>
}

/** A key of the store; or, with an id that is none of its ids, one that only the server knows. */
type SessionOwner = Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> & { readonly portal?: PortalAccess | null }

const tokenPrefix = 'phk_'
const sessionPrefix = 'phs_'
const sessionMs = 12 * hour
const tokenBytes = 25
const hintLength = tokenPrefix.length + 4
const mostTokenLength = 256
// 32 characters, five bits each, that no one mistakes for another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function makeKeys(parts: ResourceParts): Keys {
  const { ready, directory, clock } = parts
  const byHash = makeShortCache(clock, (hashed) => directory.keyByHash(hashed))
  const byId = makeShortCache(clock, (id) => directory.key(id))

  async function store({ token, ...fields }: NewKey, by?: Actor): Promise<{ key: ApiKey; token: string }> {
    const key = await directory.createKey(
      { ...fields, id: makeId('key', fields.createdAt, parts.random), hash: hashOf(token), revokedAt: null },
      by,
    )
    byHash.forget(key.hash)
    return { key, token }
  }

  return {
    async create(input, by = {}) {
      const checked = checkInput(input, clock.now())
      await ready()
      const applicationId = input.application === undefined ? null : await applicationIdOf(parts, input.application)
      const token = newToken(tokenPrefix)
      return store({ ...checked, applicationId, token, hint: token.slice(0, hintLength), sessionOf: null }, actor(by))
    },
    async openSession({ id: sessionOf, name, applicationId, access, portal = null }) {
      await ready()
      const now = clock.now()
      return store({
        token: newToken(sessionPrefix),
        hint: sessionPrefix,
        name,
        applicationId,
        access,
        createdAt: now,
        expiresAt: now + sessionMs,
        sessionOf,
        portal,
      })
    },
    async find(token) {
      if (typeof token !== 'string' || token.length > mostTokenLength) return null
      await ready()
      // By its hash: how long a look-up takes says nothing about the tokens that there are.
      const key = await byHash.get(hashOf(token))
      const now = clock.now()
      return key !== null && isLive(key, now) && (await isOwned(key, now, byId)) ? key : null
    },
    async list({ application } = {}, page = {}) {
      await ready()
      const applicationId = application === undefined ? undefined : await applicationIdOf(parts, application)
      return directory.listKeys({ applicationId, livingAt: clock.now() }, checkPage(page))
    },
    async endSession(id) {
      await ready()
      const key = await directory.revokeKey(id, clock.now())
      if (key !== null) byHash.forget(key.hash)
    },
    async revoke(id, by = {}) {
      checkId('key', id)
      await ready()
      const key = await directory.revokeKey(id, clock.now(), actor(by))
      if (key === null) throw expected('not_found', 'key', 'the id of a key that exists', id)
      byHash.forget(key.hash)
      byId.forget(key.id)
      return key
    },
  }
}

type NewKey = Omit<ApiKey, 'id' | 'hash' | 'revokedAt'> & { readonly token: string }

function checkInput(
  { name, application, access = 'write', expiresAt, portal }: KeyInput,
  now: Instant,
): Pick<ApiKey, 'name' | 'access' | 'createdAt' | 'expiresAt' | 'portal'> {
  if (typeof name !== 'string' || name.length === 0 || name.length > 256)
    throw expected('invalid_argument', 'name', 'text of 1 to 256 characters', name)
  if (access !== 'read' && access !== 'write') throw expected('invalid_argument', 'access', '"read" or "write"', access)
  if (portal !== undefined && application === undefined)
    throw expected(
      'invalid_argument',
      'portal',
      'left out for a key of all applications',
      portal,
      'Give its `application`.',
    )
  return { name, access, createdAt: now, expiresAt: checkExpiry(expiresAt, now), portal: portal ?? null }
}

function checkExpiry(given: Date | Instant | undefined, now: Instant): Instant | null {
  if (given === undefined) return null
  const at = given instanceof Date ? given.getTime() : given
  if (Number.isSafeInteger(at) && at > now) return at
  throw expected('invalid_argument', 'expiresAt', 'a time that is still to come', String(given))
}

/** A session lives no longer than the key in whose place it stands. */
async function isOwned({ sessionOf }: ApiKey, now: Instant, byId: ShortCache<ApiKey | null>): Promise<boolean> {
  if (sessionOf === null || !isId('key', sessionOf)) return true
  const owner = await byId.get(sessionOf)
  return owner !== null && isLive(owner, now)
}

function newToken(prefix: string): string {
  return prefix + base32(randomBytes(tokenBytes))
}

function hashOf(token: string): string {
  return hash('sha256', token)
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}
