import { createHash, randomBytes } from 'node:crypto'
import { expected } from '../core/errors.ts'
import { checkId, makeId } from '../core/ids.ts'
import { isLive } from '../core/key.ts'
import type { Access, ApiKey } from '../core/key.ts'
import type { Page } from '../core/ports.ts'
import type { Instant } from '../core/time.ts'
import { applicationIdOf } from './applications.ts'
import { checkPage } from './page.ts'
import type { ResourceParts } from './parts.ts'
import { makeRecall } from './recall.ts'

export interface KeyInput {
  readonly name: string
  /** The one application that it is for; all of them, and the server itself, if not given. */
  readonly application?: string | undefined
  /** `write` if not given. */
  readonly access?: Access | undefined
  readonly expiresAt?: Date | Instant | undefined
}

/** The keys of the HTTP API. A key is shown once, when it is made: only its hash is kept. */
export interface Keys {
  create(input: KeyInput): Promise<{ key: ApiKey; token: string }>
  /** The living key that a token stands for; null if there is none. One that was revoked elsewhere is refused within 5 seconds. */
  find(token: string): Promise<ApiKey | null>
  /** Those that live, newest first. */
  list(filter?: { readonly application?: string | undefined }, page?: Partial<Page>): Promise<ApiKey[]>
  revoke(id: string): Promise<ApiKey>
}

const tokenPrefix = 'phk_'
const tokenBytes = 25
const hintLength = tokenPrefix.length + 4
const mostTokenLength = 256
// 32 characters, five bits each, that no one mistakes for another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function makeKeys(parts: ResourceParts): Keys {
  const { ready, directory, clock, random } = parts
  const recall = makeRecall(clock, (hash) => directory.keyByHash(hash))

  return {
    async create({ name, application, access = 'write', expiresAt }) {
      if (typeof name !== 'string' || name.length === 0 || name.length > 256) throw expected('invalid_argument', 'name', 'text of 1 to 256 characters', name)
      if (access !== 'read' && access !== 'write') throw expected('invalid_argument', 'access', '"read" or "write"', access)
      const now = clock.now()
      const ends = expiresAt === undefined ? null : checkEnd(expiresAt, now)
      await ready()
      const applicationId = application === undefined ? null : await applicationIdOf(parts, application)
      const token = tokenPrefix + base32(randomBytes(tokenBytes))
      const made = { id: makeId('key', now, random), name, applicationId, access, hash: hashOf(token), hint: token.slice(0, hintLength) }
      const key = await directory.createKey({ ...made, createdAt: now, expiresAt: ends, revokedAt: null })
      recall.forget(key.hash)
      return { key, token }
    },
    async find(token) {
      if (typeof token !== 'string' || token.length > mostTokenLength) return null
      await ready()
      // By its hash: how long a look-up takes tells nothing about the tokens that there are.
      const key = await recall.get(hashOf(token))
      return key !== null && isLive(key, clock.now()) ? key : null
    },
    async list({ application } = {}, page = {}) {
      await ready()
      const applicationId = application === undefined ? undefined : await applicationIdOf(parts, application)
      return directory.listKeys({ applicationId, livingAt: clock.now() }, checkPage(page))
    },
    async revoke(id) {
      checkId('key', id)
      await ready()
      const key = await directory.revokeKey(id, clock.now())
      if (key === null) throw expected('not_found', 'key', 'the id of a key that exists', id)
      recall.forget(key.hash)
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
  return createHash('sha256').update(token).digest('hex')
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}
