import { resolve } from 'node:path'
import { sealedOf } from '../shared/rows/rows.ts'
import { sql, table } from '../shared/sql/sql.ts'
import { fits, isSealed, keyedVault, makeKey, plaintextVault, readRing, unreadable } from '../shared/secrets.ts'
import type { GivenKeys, KeyRing, Vault } from '../shared/secrets.ts'
import type { SqliteDatabase } from './database.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'

export interface VaultOptions {
  readonly secretsKey?: GivenKeys | undefined
  readonly plaintextSecrets?: boolean | undefined
}

/** The vault for a database, with notes for the operator. Refuses a key that does not match the stored secrets. */
export async function openVaultFor(
  path: string,
  database: SqliteDatabase,
  options: VaultOptions,
): Promise<{ vault: Vault; notes: string[] }> {
  const keyPath = path === ':memory:' ? null : `${resolve(path)}.key`
  const newest = await newestSecret(database)
  const given = options.secretsKey === undefined ? await keyBeside(keyPath) : readRing(options.secretsKey)
  if (given !== null && !fits(given, newest)) {
    throw unreadable(
      `The secrets in ${path} were sealed with another key than the one given. Give that one as \`secretsKey\` (POSTHORN_SECRETS_KEY), after the newest.`,
    )
  }
  if (options.plaintextSecrets === true) {
    return {
      vault: plaintextVault(given),
      notes: ['Secrets of endpoints are stored as plain text, as asked by `plaintextSecrets`.'],
    }
  }
  if (given !== null) return { vault: keyedVault(given), notes: [] }
  if (keyPath === null) return { vault: keyedVault([makeKey()]), notes: [] }
  if (isSealed(newest)) {
    throw unreadable(
      `The secrets in ${path} are sealed, and their key is missing. Bring back ${keyPath}, or give the key as \`secretsKey\` (POSTHORN_SECRETS_KEY).`,
    )
  }
  const { ring, made } = await makeKeyFile(keyPath)
  return {
    vault: keyedVault(ring),
    notes: made
      ? [`Created ${keyPath}, the key that endpoint secrets are encrypted with. Back it up apart from the database.`]
      : [],
  }
}

/** A vault that only opens stored values, with the key beside the file or the given one, whichever matches. Creates no key. */
export async function openVaultToRead(
  path: string,
  database: SqliteDatabase,
  secretsKey: GivenKeys | undefined,
): Promise<Vault> {
  const newest = await newestSecret(database)
  const keyPath = `${resolve(path)}.key`
  const known = [await keyBeside(keyPath), secretsKey === undefined ? null : readRing(secretsKey)]
  const key = known.find((each) => each !== null && fits(each, newest)) ?? null
  if (key !== null || !isSealed(newest)) return plaintextVault(key)
  throw unreadable(
    `Expected the key that the secrets in ${path} are sealed with, and neither ${keyPath} nor POSTHORN_SECRETS_KEY is it. Put it into ${keyPath}.`,
  )
}

async function keyBeside(keyPath: string | null): Promise<KeyRing | null> {
  return keyPath === null ? null : readKeyFile(keyPath)
}

/** In its stored form; empty if there is none. */
async function newestSecret(database: SqliteDatabase): Promise<string> {
  const [row] = await database.query(sql`select sealed from ${table('endpoint_secrets')} order by id desc limit 1`)
  return row === undefined ? '' : sealedOf(row)
}
