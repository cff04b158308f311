import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expected, PosthornError } from '../../core/errors.ts'

/** Seals the secrets of endpoints before they are stored, and opens them again. */
export interface Vault {
  seal(endpointId: string, secretId: string, value: string): string
  open(endpointId: string, secretId: string, sealed: string): string
}

const form = 'v1'
const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** A vault with one key: AES-256-GCM, bound to the row, so that a sealed secret opens nowhere else. */
export function keyedVault(key: Uint8Array): Vault {
  const keyObject = createSecretKey(key)
  const keyId = keyIdOf(key)
  return {
    seal(endpointId, secretId, value) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, keyObject, nonce).setAAD(rowOf(endpointId, secretId))
      const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [form, keyId, nonce.toString('base64'), sealed.toString('base64')].join('.')
    },
    open(endpointId, secretId, sealed) {
      return isSealed(sealed) ? openSealed(keyObject, keyId, endpointId, secretId, sealed) : sealed
    },
  }
}

/** No vault at all, for those who asked for it: secrets are stored as they are. */
export const openVault: Vault = {
  seal: (_endpointId, _secretId, value) => value,
  open(endpointId, _secretId, sealed) {
    if (!isSealed(sealed)) return sealed
    throw unreadable(
      `The secret of ${endpointId} is encrypted, and no key was given. Give \`secretsKey\` beside \`plaintextSecrets\`.`,
    )
  },
}

/** Opens what was sealed before; seals nothing new. */
export function plaintextVault(key: Uint8Array | null): Vault {
  return key === null ? openVault : { seal: openVault.seal, open: keyedVault(key).open }
}

export function makeKey(): Buffer {
  return randomBytes(keyBytes)
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

/** True if the key is the one that this was sealed with; also for what is not sealed at all. */
export function fits(key: Uint8Array, sealed: string): boolean {
  return !isSealed(sealed) || sealed.split('.')[1] === keyIdOf(key)
}

export function isSealed(text: string): boolean {
  return text.startsWith(`${form}.`)
}

export function unreadable(message: string, cause?: unknown): PosthornError {
  return new PosthornError('secrets_unreadable', message, { cause })
}

function openSealed(key: KeyObject, keyId: string, endpointId: string, secretId: string, sealed: string): string {
  const [, sealedWith, nonce = '', content = ''] = sealed.split('.')
  if (sealedWith !== keyId) {
    throw unreadable(
      `Expected the secret of ${endpointId} to be sealed with key ${keyId}, got one sealed with key ${sealedWith}. Give that key as \`secretsKey\`.`,
    )
  }
  try {
    const bytes = Buffer.from(content, 'base64')
    const decipher = createDecipheriv(algorithm, key, Buffer.from(nonce, 'base64'), { authTagLength: tagBytes })
    decipher.setAAD(rowOf(endpointId, secretId)).setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw unreadable(`The secret of ${endpointId} was changed or moved in the database. Rotate it.`, cause)
  }
}

/** Enough of a hash to tell keys apart, and nothing that helps to find one. */
function keyIdOf(key: Uint8Array): string {
  return createHash('sha256').update('posthorn secrets key id').update(key).digest('hex').slice(0, 8)
}

function rowOf(endpointId: string, secretId: string): Buffer {
  return Buffer.from(`${endpointId}/${secretId}`)
}
