import { realpathSync } from 'node:fs'
import type { SqliteDriver } from './driver.ts'
import { isBusy, storeError } from './errors.ts'
import { openDriver } from './load-driver.ts'

/** The right of one process to run engines on a file. The operating system releases it when the process ends. */
export interface ProcessLock {
  release(): void
}

/** Takes the lock beside a database; null if another process, or another store in this one, holds it. */
export function takeLock(databasePath: string): ProcessLock | null {
  // A separate file: a lock on the database itself would block the short writes of the CLI and `sqlite3`.
  let database: SqliteDriver | undefined
  try {
    // By its real path: a link leads to the same file.
    database = openDriver(`${realpathSync(databasePath)}.lock`, { timeout: 0 })
    database.exec('begin exclusive')
    return held(database)
  } catch (thrown) {
    database?.close()
    if (isBusy(thrown)) return null
    throw storeError(thrown)
  }
}

function held(database: SqliteDriver): ProcessLock {
  return {
    release() {
      database.exec('rollback')
      database.close()
    },
  }
}
