import { hash, randomBytes } from 'node:crypto'
import { expected } from '../core/errors.ts'
import { checkId, isId, makeId } from '../core/ids.ts'
import { isLive } from '../core/key.ts'
import type { Access, ApiKey, PortalAccess } from '../core/key.ts'
import type { Page } from '../core/directory.ts'
import { hour } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import { actor } from './delivery/deliveries.ts'
import type { By } from './delivery/deliveries.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './page.ts'
import type { ResourceParts } from './parts.ts'
import { makeRecall } from './short-cache.ts'

export interface KeyInput {
  readonly name: string
  /** The one application that it is for; all of them, and the server itself, if not given. */
  readonly application?: string | undefined
  /** `write` if not given. */
  readonly access?: Access | undefined
  readonly expiresAt?: Date | Instant | undefined
  /** Makes it a customer's link to the portal: it may neither send nor erase messages, nor choose a retry policy. */
  readonly portal?: PortalAccess | undefined
}

/** The keys of the HTTP API. A key is shown once, when it is made: only its hash is kept. */
export interface Keys {
  create(input: KeyInput, by?: By): Promise<{ key: ApiKey; token: string }>
  /** A key for twelve hours in the place of another, for a browser's cookie. It may do what the other may, and ends with it. */
  openSession(of: SessionOwner): Promise<{ key: ApiKey; token: string }>
  endSession(id: string): Promise<void>
  /** The living key that a token stands for; null if there is none. One that was revoked elsewhere is refused within 5 seconds. */
  find(token: string): Promise<ApiKey | null>
  /** Those that live, newest first. */
  list(filter?: { readonly application?: string | undefined }, page?: Partial<Page>): Promise<ApiKey[]>
  revoke(id: string, by?: By): Promise<ApiKey>
}

/** A key of the store; or, with an id that is none of its ids, one that only the server knows. */
export type SessionOwner = Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> & { readonly portal?: PortalAccess | null }

const tokenPrefix = 'phk_'
const sessionPrefix = 'phs_'
const sessionMs = 12 * hour
const tokenBytes = 25
const hintLength = tokenPrefix.length + 4
const mostTokenLength = 256
// 32 characters, five bits each, that no one mistakes for another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function makeKeys(parts: ResourceParts): Keys {
  const { ready, directory, clock, random } = parts
  const recall = makeRecall(clock, (known) => directory.keyByHash(known))
  const owners = makeRecall(clock, (id) => directory.key(id))

  /** A session lives no longer than the key in whose place it stands. */
  async function isOwned({ sessionOf }: ApiKey, now: Instant): Promise<boolean> {
    if (sessionOf === null || !isId('key', sessionOf)) return true
    const owner = await owners.get(sessionOf)
    return owner !== null && isLive(owner, now)
  }

  return {
    async create({ name, application, access = 'write', expiresAt, portal }, by = {}) {
      if (typeof name !== 'string' || name.length === 0 || name.length > 256) throw expected('invalid_argument', 'name', 'text of 1 to 256 characters', name)
      if (access !== 'read' && access !== 'write') throw expected('invalid_argument', 'access', '"read" or "write"', access)
      if (portal !== undefined && application === undefined) throw expected('invalid_argument', 'portal', 'left out for a key of all applications', portal, 'Give its `application`.')
      const now = clock.now()
      const ends = expiresAt === undefined ? null : checkEnd(expiresAt, now)
      await ready()
      const applicationId = application === undefined ? null : await applicationIdOf(parts, application)
      const token = tokenPrefix + base32(randomBytes(tokenBytes))
      const made = { id: makeId('key', now, random), name, applicationId, access, hash: hashOf(token), hint: token.slice(0, hintLength) }
      const key = await directory.createKey({ ...made, createdAt: now, expiresAt: ends, revokedAt: null, sessionOf: null, portal: portal ?? null }, actor(by))
      recall.forget(key.hash)
      return { key, token }
    },
    async openSession({ id: sessionOf, name, applicationId, access, portal = null }) {
      await ready()
      const now = clock.now()
      const token = sessionPrefix + base32(randomBytes(tokenBytes))
      const made = { id: makeId('key', now, random), name, applicationId, access, hash: hashOf(token), hint: sessionPrefix }
      const key = await directory.createKey({ ...made, createdAt: now, expiresAt: now + sessionMs, revokedAt: null, sessionOf, portal })
      recall.forget(key.hash)
      return { key, token }
    },
    async find(token) {
      if (typeof token !== 'string' || token.length > mostTokenLength) return null
      await ready()
      // By its hash: how long a look-up takes tells nothing about the tokens that there are.
      const key = await recall.get(hashOf(token))
      const now = clock.now()
      return key !== null && isLive(key, now) && (await isOwned(key, now)) ? key : null
    },
    async list({ application } = {}, page = {}) {
      await ready()
      const applicationId = application === undefined ? undefined : await applicationIdOf(parts, application)
      return directory.listKeys({ applicationId, livingAt: clock.now() }, checkPage(page))
    },
    async endSession(id) {
      await ready()
      const key = await directory.revokeKey(id, clock.now())
      if (key !== null) recall.forget(key.hash)
    },
    async revoke(id, by = {}) {
      checkId('key', id)
      await ready()
      const key = await directory.revokeKey(id, clock.now(), actor(by))
      if (key === null) throw expected('not_found', 'key', 'the id of a key that exists', id)
      recall.forget(key.hash)
      owners.forget(key.id)
      return key
    },
  }
}

function checkEnd(given: Date | Instant, now: Instant): Instant {
  const at = given instanceof Date ? given.getTime() : given
  if (Number.isSafeInteger(at) && at > now) return at
  throw expected('invalid_argument', 'expiresAt', 'a time that is still to come', String(given))
}

function hashOf(token: string): string {
  return hash('sha256', token)
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}
