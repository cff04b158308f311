import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expected, PosthornError } from '../../core/errors.ts'

/** Seals the secrets of endpoints before they are stored, and opens them again. */
export interface Vault {
  /** The id of the key it seals with; null if it seals nothing. */
  readonly keyId: string | null
  /** Binds the value to the endpoint and to its role there: the id of a secret, or a name such as `headers`. */
  seal(endpointId: string, secretId: string, value: string): string
  open(endpointId: string, secretId: string, sealed: string): string
}

/** Keys of 32 bytes, newest first. */
export type KeyRing = readonly [Uint8Array, ...Uint8Array[]]

/** Keys as people provide them: one key as bytes or base64, or several, newest first. */
export type GivenKeys = string | Uint8Array | readonly (string | Uint8Array)[]

interface NamedKey {
  readonly key: KeyObject
  readonly id: string
}

const form = 'v1'
const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * A vault with a ring of keys, newest first: the first key seals, and all of them can open. AES-256-GCM, bound to the row, so that a sealed
 * secret cannot be opened in another row.
 */
export function keyedVault([first, ...older]: KeyRing): Vault {
  const newest = named(first)
  const byId = new Map([newest, ...older.map(named)].map((each) => [each.id, each]))
  return {
    keyId: newest.id,
    seal(endpointId, secretId, value) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, newest.key, nonce).setAAD(rowOf(endpointId, secretId))
      const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [sealedPrefix(newest.id) + nonce.toString('base64'), sealed.toString('base64')].join('.')
    },
    open(endpointId, secretId, sealed) {
      return isSealed(sealed) ? openSealed(byId, endpointId, secretId, sealed) : sealed
    },
  }
}

/** No encryption, for those who asked for that: secrets are stored in plaintext. */
const openVault: Vault = {
  keyId: null,
  seal: (_endpointId, _secretId, value) => value,
  open(endpointId, _secretId, sealed) {
    if (!isSealed(sealed)) return sealed
    throw unreadable(
      `A secret of ${endpointId} is encrypted, and no key was given. Give \`secretsKey\` beside \`plaintextSecrets\`.`,
    )
  },
}

/** Opens values that were sealed before; seals nothing new. */
export function plaintextVault(ring: KeyRing | null): Vault {
  return ring === null ? openVault : { ...openVault, open: keyedVault(ring).open }
}

export function makeKey(): Buffer {
  return randomBytes(keyBytes)
}

/** The given keys, newest first: one as bytes, or several as base64, separated by commas or line breaks. */
export function readRing(given: GivenKeys, name = 'secretsKey'): KeyRing {
  const parts: readonly (string | Uint8Array)[] =
    typeof given === 'string'
      ? given.split(/[,\n]/).filter((part) => part.trim() !== '')
      : isList(given)
        ? given
        : [given]
  const [newest = '', ...older] = parts
  return [readKey(newest, name), ...older.map((key) => readKey(key, name))]
}

/** The 32 bytes of a key given as bytes or base64. The key itself never appears in the message. */
export function readKey(given: string | Uint8Array, name = 'secretsKey'): Uint8Array {
  const key = typeof given === 'string' ? Buffer.from(given.trim(), 'base64') : given
  if (key.length === keyBytes) return key
  throw expected(
    'invalid_argument',
    name,
    `${keyBytes} bytes, or their base64`,
    `${key.length} bytes`,
    'Make one: openssl rand -base64 32.',
  )
}

/** True if one of the keys sealed this value, or if it is not sealed at all. */
export function fits(ring: KeyRing, sealed: string): boolean {
  return !isSealed(sealed) || ring.some((key) => keyIdOf(key) === sealed.split('.')[1])
}

/** The prefix of every value sealed with this key. */
export function sealedPrefix(keyId: string): string {
  return `${form}.${keyId}.`
}

export function isSealed(text: string): boolean {
  return text.startsWith(`${form}.`)
}

export function unreadable(message: string, cause?: unknown): PosthornError {
  return new PosthornError('secrets_unreadable', message, { cause })
}

function openSealed(ring: ReadonlyMap<string, NamedKey>, endpointId: string, secretId: string, sealed: string): string {
  const [, sealedWith = '', nonce = '', content = ''] = sealed.split('.')
  const opener = ring.get(sealedWith)
  if (opener === undefined) {
    const have = [...ring.keys()].join(', ')
    throw unreadable(
      `Expected a secret of ${endpointId} to be sealed with key ${have}, got one sealed with key ${sealedWith}. Give that key as \`secretsKey\` (POSTHORN_SECRETS_KEY), after the newest, until \`posthorn secrets rotate\` is done.`,
    )
  }
  try {
    const bytes = Buffer.from(content, 'base64')
    const decipher = createDecipheriv(algorithm, opener.key, Buffer.from(nonce, 'base64'), { authTagLength: tagBytes })
    decipher.setAAD(rowOf(endpointId, secretId)).setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw unreadable(`A secret of ${endpointId} was changed or moved in the database. Set it anew.`, cause)
  }
}

function named(key: Uint8Array): NamedKey {
  return { key: createSecretKey(key), id: keyIdOf(key) }
}

function isList(given: Exclude<GivenKeys, string>): given is readonly (string | Uint8Array)[] {
  return Array.isArray(given)
}

/** Enough of a hash to distinguish keys, and no help in finding one. */
function keyIdOf(key: Uint8Array): string {
  return createHash('sha256').update('posthorn secrets key id').update(key).digest('hex').slice(0, 8)
}

function rowOf(endpointId: string, secretId: string): Buffer {
  return Buffer.from(`${endpointId}/${secretId}`)
}
