import { realpathSync } from 'node:fs'
import type { SqliteDriver } from './driver.ts'
import { isBusy, storeError } from './errors.ts'
import { openDriver } from './load-driver.ts'

/** The right of one process to run engines on a file. The operating system takes it back when the process ends. */
export interface ProcessLock {
  release(): void
}

/** Takes the lock beside a database; null if another process, or another store of this one, has it. */
export function takeLock(databasePath: string): ProcessLock | null {
  // A file of its own: a lock on the database itself would keep the CLI and `sqlite3` from their short writes.
  let database: SqliteDriver | undefined
  try {
    // By its real name: through a link it is the same file.
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
