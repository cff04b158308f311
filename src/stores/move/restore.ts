import { existsSync, statSync } from 'node:fs'
import { expected } from '../../core/errors.ts'
import { fits, isSealed, readRing, unreadable } from '../shared/secrets.ts'
import { openConnection } from '../sqlite/connection.ts'
import { storeError } from '../sqlite/errors.ts'
import { readKeyFile } from '../sqlite/key-file.ts'
import { cleaningUp, copyToOwn, isSameFile, publish, refuseExisting } from './files.ts'
import { inspectSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

type Restored = Pick<Snapshot, 'deliveries' | 'open' | 'inFlight'>

/** Restores a backup and its key to the path of a database. Never overwrites one: a person restoring in a hurry may have the wrong path. */
export async function restore(backup: string, path: string, secretsKey: string | undefined): Promise<Restored> {
  const [partial, keyFile, backupKey] = [`${path}.restoring`, `${path}.key`, `${backup}.key`]
  checkBackup(backup)
  // A log left beside the old file would be read into the restored one.
  const advice = 'Move it away, together with what is named like it (-wal, -shm): nothing is overwritten.'
  refuseExisting([path, `${path}-wal`, `${path}-shm`, partial], advice)
  const bringsKey = existsSync(backupKey) && !(await isSameFile(backupKey, keyFile))
  if (bringsKey) refuseExisting([keyFile], 'It is another key than that of the backup: move it away.')
  return cleaningUp(bringsKey ? [partial, keyFile] : [partial], async () => {
    await copyToOwn(backup, partial)
    const { newestSecret, deliveries, open, inFlight } = inspected(partial)
    await checkKey([backupKey, keyFile], secretsKey, newestSecret)
    if (bringsKey) await copyToOwn(backupKey, keyFile)
    await publish(partial, path)
    return { deliveries, open, inFlight }
  })
}

function checkBackup(backup: string): void {
  if (!existsSync(backup)) throw expected('invalid_argument', 'file', 'a backup that exists', backup)
  const log = `${backup}-wal`
  if (!existsSync(log) || statSync(log).size === 0) return
  throw expected(
    'invalid_argument',
    'file',
    'a backup',
    `a database with a log beside it (${log})`,
    'Take one: posthorn backup.',
  )
}

function inspected(path: string): Snapshot {
  try {
    const connection = openConnection(':memory:')
    try {
      return inspectSnapshot(connection, path)
    } finally {
      connection.close()
    }
  } catch (thrown) {
    throw storeError(thrown)
  }
}

/** Refuses a backup whose secrets could not be opened. */
async function checkKey(files: readonly string[], given: string | undefined, newestSecret: string): Promise<void> {
  if (!isSealed(newestSecret)) return
  const known = await Promise.all(files.map((file) => readKeyFile(file)))
  if (given !== undefined) known.push(readRing(given))
  if (known.some((key) => key !== null && fits(key, newestSecret))) return
  throw unreadable(
    `Expected the key that the secrets in the backup are sealed with, and found none that fits. Put it into ${files[0] ?? ''}, or give it as POSTHORN_SECRETS_KEY.`,
  )
}
