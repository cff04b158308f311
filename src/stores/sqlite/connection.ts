import { expected } from '../../core/errors.ts'
import type { Row } from '../shared/sql/database.ts'
import { render } from '../shared/sql/sql.ts'
import type { Dialect, Sql } from '../shared/sql/sql.ts'
import { isDriver, isTransactionOf, prepareWith } from './driver.ts'
import type { SqliteDriver, Statement } from './driver.ts'
import { checkVersion, openDriver } from './load-driver.ts'
import { createPrivate } from './private-files.ts'

export const sqliteDialect: Dialect = {
  placeholder: (position) => `?${position}`,
  table: (name) => (name === 'webhook_deliveries' ? name : `posthorn_${name}`),
  // SQLite has a single writer, so there is nothing to lock.
  keywords: { binary: 'blob', id: 'text', forUpdate: '' },
}

export interface ConnectionOptions {
  /** How long a write waits for another process, blocking the whole event loop. */
  readonly busyTimeoutMs?: number | undefined
  /** `off` may lose acknowledged data when the machine fails: for tests and simulations only. */
  readonly synchronous?: 'full' | 'off' | undefined
}

/** One synchronous connection with its prepared statements. */
export interface Connection {
  /** Prepares each statement text once. */
  prepare(text: string): Statement
  query(statement: Sql): Row[]
  run(statement: Sql): number
  /** False as soon as SQLite has rolled back a transaction by itself, as it does when the disk is full. */
  inTransaction(): boolean
  close(): void
}

const mostStatements = 1_000
// Whole pages go through the log: twice as large ones take a quarter longer per commit of one message, and save nothing in one of a hundred.
// Applies to new files only.
const pageBytes = 4_096
const pagesBetweenCheckpoints = 2_000
const cacheKiB = 32 * 1024

/** Opens a file with the installed driver, or with Node's own. */
export function openConnection(path: string, options: ConnectionOptions = {}): Connection {
  if (path !== ':memory:') createPrivate(path)
  return tuned(openDriver(path), options)
}

/**
 * Opens Posthorn's own connection with the application's driver. Sharing the application's connection would not work: whatever the
 * application runs between our statements would be part of our transactions, and ours part of its.
 */
export function openWith(
  open: () => unknown,
  options: ConnectionOptions,
): { connection: Connection; driver: SqliteDriver; path: string } {
  const driver = open()
  const advice = 'For example: sqlite({ open: () => new DatabaseSync(path) }).'
  const wanted = 'a function that opens a new connection to a file with each call'
  if (!isDriver(driver)) throw expected('invalid_argument', 'open', wanted, driver, advice)
  const other = open()
  if (other === driver) throw expected('invalid_argument', 'open', wanted, 'the same connection twice', advice)
  if (isDriver(other)) other.close()
  const connection = tuned(driver, options)
  const path = fileOf(driver)
  if (path !== '') return { connection, driver, path }
  connection.close()
  throw expected('invalid_argument', 'open', wanted, 'one to a database in memory', advice)
}

/** The file of a connection; empty if there is none. */
export function fileOf(driver: SqliteDriver): string {
  const file = prepareWith(driver, `select file from pragma_database_list where name = 'main'`).get()?.['file']
  return typeof file === 'string' ? file : ''
}

/** Applies the settings Posthorn needs: WAL, and commits that are on disk when they return. */
function tuned(database: SqliteDriver, { busyTimeoutMs = 5_000, synchronous = 'full' }: ConnectionOptions): Connection {
  try {
    checkVersion(String(prepareWith(database, 'select sqlite_version() as version').get()?.['version']))
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
    database.exec('pragma foreign_keys = off')
    database.exec(`pragma page_size = ${pageBytes}`)
    // Before the journal mode, because changing that is a commit too.
    database.exec(`pragma synchronous = ${synchronous}`)
    database.exec('pragma journal_mode = wal')
    database.exec(`pragma wal_autocheckpoint = ${pagesBetweenCheckpoints}`)
    database.exec(`pragma cache_size = -${cacheKiB}`)
    // Savepoints copy the pages they may have to restore: keep those copies in memory, not in a file.
    database.exec('pragma temp_store = memory')
  } catch (thrown) {
    database.close()
    throw thrown
  }
  return connectionOver(database)
}

/** Wraps a connection without changing its settings. */
export function connectionOver(database: SqliteDriver): Connection {
  const statements = new Map<string, Statement>()
  function prepare(text: string): Statement {
    const known = statements.get(text)
    if (known !== undefined) return known
    if (statements.size >= mostStatements) statements.clear()
    const statement = prepareWith(database, text)
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
    inTransaction: () => isTransactionOf(database) === true,
    close() {
      statements.clear()
      foldIn(database)
      database.close()
    },
  }
}

/**
 * Checkpoints the log into the file, unless there is a reader right now. SQLite does this itself at the last close, but it counts a
 * connection as open while one of its statements exists, and the driver frees statements only when they are garbage collected.
 */
function foldIn(database: SqliteDriver): void {
  try {
    database.exec('pragma busy_timeout = 0')
    database.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Nothing is lost: the next process to open the file reads the log.
  }
}
