import { hash, randomBytes } from 'node:crypto'
import type { AuditNote } from '../core/ports/audit.ts'
import { expected, PosthornError } from '../core/errors.ts'
import { checkId, isId, makeId } from '../core/ids.ts'
import { SharedLimit } from '../core/limits/shared-limit.ts'
import { TimedLimit } from '../core/limits/timed-limit.ts'
import { isLive } from '../core/ports/key.ts'
import type { Access, ApiKey, PortalAccess } from '../core/ports/key.ts'
import type { Page } from '../core/ports/directory/page.ts'
import { hour } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'
import { RefusedSignIns } from './refused-sign-ins.ts'
import { makeShortCache } from './short-cache.ts'
import type { ShortCache } from './short-cache.ts'

export interface KeyInput {
  readonly name: string
  /** The only application it has access to; all of them, and the server itself, if not given. */
  readonly application?: string | undefined
  /** `write` if not given. */
  readonly access?: Access | undefined
  readonly expiresAt?: Date | Instant | undefined
  /** Makes it a customer's link to the portal: it can neither send nor erase messages, nor choose a retry policy. */
  readonly portal?: PortalAccess | undefined
}

/** The keys of the HTTP API. A key is shown once, when it is created: only its hash is stored. */
export interface Keys {
  create(input: KeyInput, by?: By): Promise<CreatedKey>
  /**
   * A twelve-hour key created with another, for a browser's cookie. It has the other's access, and ends with it. One key may have at most
   * as many sessions in this process as are still free.
   */
  openSession(of: SessionOwner, by?: By): Promise<CreatedKey>
  endSession(id: string, by?: By): Promise<void>
  /** Valid sessions, newest first: those of one key, by its id, or all. */
  sessions(filter?: { readonly of?: string | undefined }, page?: Partial<Page>): Promise<ApiKey[]>
  /** A valid session by its id; null if there is none. */
  session(id: string): Promise<ApiKey | null>
  /** Ends every session of a key; returns how many. The key itself stays valid. */
  endSessions(of: string, by?: By): Promise<number>
  /** Records an attempt to sign in with an invalid key; those within a minute are counted in one entry. */
  refuseSignIn(by?: By): Promise<void>
  /** The valid key for a token; null if there is none. A key that was revoked elsewhere is refused within 5 seconds. */
  find(token: string): Promise<ApiKey | null>
  /** Valid keys, newest first. */
  list(filter?: KeyFilter, page?: Partial<Page>): Promise<ApiKey[]>
  revoke(id: string, by?: By): Promise<ApiKey>
}

interface KeyFilter {
  readonly application?: string | undefined
}

/** The only place where the token is returned. */
interface CreatedKey {
  readonly key: ApiKey
  readonly token: string
}

/** A stored key; or, if its id is not one of the store's ids, one that only the server knows. */
type SessionOwner = Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> & { readonly portal?: PortalAccess | null }

const tokenPrefix = 'phk_'
const sessionPrefix = 'phs_'
const sessionMs = 12 * hour
const mostSessions = 10_000
const tokenBytes = 25
const hintLength = tokenPrefix.length + 4
const mostTokenLength = 256
// 32 characters, five bits each, that cannot be confused with each other.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function makeKeys(parts: ResourceParts, sessions = new SharedLimit(mostSessions)): Keys {
  const { clock, directory } = parts
  const refused = new RefusedSignIns(directory, clock)
  const shared: KeyParts = {
    ...parts,
    byHash: makeShortCache(clock, (hashed) => directory.keyByHash(hashed)),
    byId: makeShortCache(clock, (id) => directory.key(id)),
    sessions: new TimedLimit(sessions),
  }
  return {
    create: (input, by = {}) => createKey(shared, input, by),
    openSession: (of, by = {}) => openSession(shared, of, by),
    endSession: (id, by = {}) => endSession(shared, id, by),
    sessions: ({ of } = {}, page = {}) => listSessions(shared, of, page),
    session: (id) => findSession(shared, id),
    endSessions: (of, by = {}) => endSessions(shared, of, by),
    async refuseSignIn({ from = 'library' } = {}) {
      await parts.ready()
      await refused.add(from)
    },
    find: (token) => findKey(shared, token),
    list: (filter = {}, page = {}) => listKeys(shared, filter, page),
    revoke: (id, by = {}) => revokeKey(shared, id, by),
  }
}

interface KeyParts extends ResourceParts {
  readonly byHash: ShortCache<ApiKey | null>
  readonly byId: ShortCache<ApiKey | null>
  /** Sessions opened in this process, by id. */
  readonly sessions: TimedLimit
}

async function createKey(parts: KeyParts, input: KeyInput, by: By): Promise<CreatedKey> {
  const checked = checkInput(input, parts.clock.now())
  await parts.ready()
  const applicationId = input.application === undefined ? null : await applicationIdOf(parts, input.application)
  const token = newToken(tokenPrefix)
  const hint = token.slice(0, hintLength)
  const action = checked.portal === null ? 'key.create' : 'portal.create'
  const audited = { action, by: actor(by) } as const
  const id = makeId('key', checked.createdAt, parts.random)
  const key = { ...checked, id, applicationId, token, hint, sessionOf: null, createdFrom: audited.by.from ?? null }
  return storeKey(parts, key, audited)
}

async function openSession(
  parts: KeyParts,
  { id: sessionOf, name, applicationId, access, portal = null }: SessionOwner,
  by: By,
): Promise<CreatedKey> {
  await parts.ready()
  const now = parts.clock.now()
  const times = { createdAt: now, expiresAt: now + sessionMs }
  const audited = {
    action: portal === null ? 'session.open' : 'portal.use',
    by: actor({ by: name, ...by }),
  } as const
  const session = { name, applicationId, access, ...times, sessionOf, portal, createdFrom: audited.by.from ?? null }
  const id = makeId('key', now, parts.random)
  if (!parts.sessions.take(sessionOf, id, session.expiresAt, now))
    throw tooManySessions(parts.sessions.heldBy(sessionOf))
  try {
    return await storeKey(parts, { id, token: newToken(sessionPrefix), hint: sessionPrefix, ...session }, audited)
  } catch (thrown) {
    parts.sessions.release(id)
    throw thrown
  }
}

function tooManySessions(held: number): PosthornError {
  return held === 0
    ? new PosthornError('overloaded', `Expected at most ${mostSessions} sessions at once. Try again later.`)
    : new PosthornError(
        'share_exceeded',
        `This key has ${held} sessions, and may have no more than are still free for others. Sign out of some first.`,
      )
}

async function storeKey(
  { directory, byHash }: KeyParts,
  { token, ...fields }: NewKey,
  audited: AuditNote,
): Promise<CreatedKey> {
  const key = await directory.createKey({ ...fields, hash: hashOf(token), revokedAt: null }, audited)
  byHash.forget(key.hash)
  return { key, token }
}

async function endSession({ ready, directory, clock, byHash, sessions }: KeyParts, id: string, by: By): Promise<void> {
  await ready()
  const key = await directory.revokeKey(id, clock.now(), { action: 'session.end', by: actor(by) })
  if (key !== null) byHash.forget(key.hash)
  sessions.release(id)
}

async function listSessions(parts: KeyParts, of: string | undefined, page: Partial<Page>): Promise<ApiKey[]> {
  await parts.ready()
  return parts.directory.listSessions({ of, livingAt: parts.clock.now() }, checkPage(page))
}

async function findSession({ ready, directory, clock }: KeyParts, id: string): Promise<ApiKey | null> {
  await ready()
  const key = await directory.key(id)
  return key !== null && key.sessionOf !== null && isLive(key, clock.now()) ? key : null
}

async function endSessions(
  { ready, directory, clock, byHash, sessions }: KeyParts,
  of: string,
  by: By,
): Promise<number> {
  await ready()
  const ended = await directory.endSessions(of, clock.now(), { action: 'session.end', by: actor(by) })
  for (const { id, hash: hashed } of ended) {
    byHash.forget(hashed)
    sessions.release(id)
  }
  return ended.length
}

async function findKey({ ready, clock, byHash, byId }: KeyParts, token: string): Promise<ApiKey | null> {
  if (typeof token !== 'string' || token.length > mostTokenLength) return null
  await ready()
  // By its hash: the duration of a lookup reveals nothing about existing tokens.
  const key = await byHash.get(hashOf(token))
  const now = clock.now()
  return key !== null && isLive(key, now) && (await isOwned(key, now, byId)) ? key : null
}

/** A session is valid no longer than the key it was created with. */
async function isOwned({ sessionOf }: ApiKey, now: Instant, byId: KeyParts['byId']): Promise<boolean> {
  if (sessionOf === null || !isId('key', sessionOf)) return true
  const owner = await byId.get(sessionOf)
  return owner !== null && isLive(owner, now)
}

async function listKeys(parts: KeyParts, { application }: KeyFilter, page: Partial<Page>): Promise<ApiKey[]> {
  await parts.ready()
  const applicationId = application === undefined ? undefined : await applicationIdOf(parts, application)
  return parts.directory.listKeys({ applicationId, livingAt: parts.clock.now() }, checkPage(page))
}

async function revokeKey({ ready, directory, clock, byHash, byId }: KeyParts, id: string, by: By): Promise<ApiKey> {
  checkId('key', id)
  await ready()
  const key = await directory.revokeKey(id, clock.now(), { action: 'key.revoke', by: actor(by) })
  if (key === null) throw expected('not_found', 'key', 'the id of a key that exists', id)
  byHash.forget(key.hash)
  byId.forget(key.id)
  return key
}

type NewKey = Omit<ApiKey, 'hash' | 'revokedAt'> & { readonly token: string }

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
