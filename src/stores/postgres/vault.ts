import { expected } from '../../core/errors.ts'
import { sealedOf } from '../shared/rows/rows.ts'
import { fits, keyedVault, plaintextVault, readRing, unreadable } from '../shared/secrets.ts'
import type { GivenKeys, KeyRing, Vault } from '../shared/secrets.ts'
import { sql, table } from '../shared/sql/sql.ts'
import type { PostgresDatabase } from './database.ts'

export interface VaultOptions {
  readonly secretsKey?: GivenKeys | undefined
  readonly plaintextSecrets?: boolean | undefined
}

/** The given keys. PostgreSQL has no key file beside the database, so a missing key is refused. */
export function ringOf({ secretsKey, plaintextSecrets }: VaultOptions): KeyRing | null {
  if (secretsKey !== undefined) return readRing(secretsKey)
  if (plaintextSecrets === true) return null
  throw expected(
    'invalid_argument',
    'secretsKey',
    'the key that seals the secrets of endpoints',
    secretsKey,
    'Make one: openssl rand -base64 32. All workers need the same; or give `plaintextSecrets: true` to store secrets as they are.',
  )
}

/** The vault for a database, with notes for the operator. Refuses a key that does not match the stored secrets. */
export async function openVaultWith(
  ring: KeyRing | null,
  database: PostgresDatabase,
  { plaintextSecrets }: VaultOptions,
): Promise<{ vault: Vault; notes: string[] }> {
  const [row] = await database.query(sql`select sealed from ${table('endpoint_secrets')} order by id desc limit 1`)
  if (ring !== null && row !== undefined && !fits(ring, sealedOf(row))) {
    throw unreadable(
      'The secrets in the database were sealed with another key than the one given. Give that one as `secretsKey` (POSTHORN_SECRETS_KEY), after the newest.',
    )
  }
  if (ring !== null && plaintextSecrets !== true) return { vault: keyedVault(ring), notes: [] }
  return {
    vault: plaintextVault(ring),
    notes: ['Secrets of endpoints are stored as plain text, as asked by `plaintextSecrets`.'],
  }
}
