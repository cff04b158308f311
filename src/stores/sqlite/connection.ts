import { DatabaseSync } from '@photostructure/sqlite'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { PosthornError } from '../../core/errors.ts'
import type { Row } from '../database.ts'
import { render } from '../sql.ts'
import type { Dialect, Sql, Value } from '../sql.ts'

export const sqliteDialect: Dialect = {
  placeholder: (position) => `?${position}`,
  table: (name) => (name === 'webhook_deliveries' ? name : `posthorn_${name}`),
  // A writer is alone: nothing is to be locked.
  words: { binary: 'blob', id: 'text', forUpdate: '' },
}

export interface ConnectionOptions {
  /** How long a write waits for another process, with the whole event loop. */
  readonly busyTimeoutMs?: number | undefined
  /** `off` may lose what was acknowledged when the machine fails: for tests and simulations only. */
  readonly synchronous?: 'full' | 'off' | undefined
}

/** A prepared statement, bound anew with every call. For an insert, `get` is a microsecond cheaper than `run`. */
export interface Statement {
  run(...values: readonly Value[]): { readonly changes: number }
  get(...values: readonly Value[]): Row | undefined
  all(...values: readonly Value[]): Row[]
  iterate(...values: readonly Value[]): Iterable<Row>
}

/** One synchronous connection with its prepared statements. */
export interface Connection {
  /** A statement by its text, prepared once. */
  prepare(text: string): Statement
  query(statement: Sql): Row[]
  run(statement: Sql): number
  /** False as soon as SQLite has rolled a transaction back by itself, as it does when the disk is full. */
  inTransaction(): boolean
  close(): void
}

// Before it, a WAL checkpoint could lose committed writes.
const oldestVersion = '3.51.3'
const mostStatements = 1_000
// Twice the usual: a tenth less work per delivery, because fewer pages go through the log. Only for a file that is new.
const pageBytes = 8_192
const pagesBetweenCheckpoints = 1_000
const cacheKiB = 32 * 1024

/** Opens a file as Posthorn needs it: WAL, and a commit that is on the disk when it returns. */
export function openConnection(path: string, { busyTimeoutMs = 5_000, synchronous = 'full' }: ConnectionOptions = {}): Connection {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false })
  try {
    checkVersion(String(database.prepare('select sqlite_version() as version').get()?.version))
    database.exec(`pragma page_size = ${pageBytes}`)
    database.exec('pragma journal_mode = wal')
    database.exec(`pragma synchronous = ${synchronous}`)
    database.exec(`pragma wal_autocheckpoint = ${pagesBetweenCheckpoints}`)
    database.exec(`pragma cache_size = -${cacheKiB}`)
    // Savepoints copy the pages they may have to bring back: not into a file.
    database.exec('pragma temp_store = memory')
  } catch (thrown) {
    database.close()
    throw thrown
  }

  const statements = new Map<string, Statement>()
  function prepare(text: string): Statement {
    const known = statements.get(text)
    if (known !== undefined) return known
    if (statements.size >= mostStatements) statements.clear()
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }

  return {
    prepare,
    query(statement) {
      const { text, values } = render(statement, sqliteDialect)
      return prepare(text).all(...values)
    },
    run(statement) {
      const { text, values } = render(statement, sqliteDialect)
      return prepare(text).run(...values).changes
    },
    inTransaction: () => database.isTransaction,
    close() {
      statements.clear()
      foldIn(database)
      database.close()
    },
  }
}

/**
 * Brings the log into the file, unless somebody reads it just now. SQLite does so at the last close by itself, but for it a
 * connection is open as long as a statement of it lives, and the driver ends those only when they are collected.
 */
function foldIn(database: DatabaseSyncInstance): void {
  try {
    database.exec('pragma busy_timeout = 0')
    database.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Nothing is lost: whoever opens the file next reads the log.
  }
}

/** Refuses a SQLite that can lose what was committed. */
export function checkVersion(version: string): void {
  if (asNumber(version) >= asNumber(oldestVersion)) return
  throw new PosthornError(
    'store_too_old',
    `Expected SQLite ${oldestVersion} or later, got ${version}. Older ones can lose committed writes: upgrade @photostructure/sqlite.`,
  )
}

function asNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
