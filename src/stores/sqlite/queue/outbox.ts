import { expected } from '../../../core/errors.ts'
import type { SyncStoreTransaction } from '../../../core/ports/ports.ts'
import { entryOf } from '../../shared/audit.ts'
import { applicationCreated, applicationNamed } from '../../shared/directory/applications.ts'
import { subscribersOf, endpointsVersion } from '../../shared/directory/endpoints.ts'
import { fromAuditEntry } from '../../shared/rows/directory-rows.ts'
import { fromApplication, toApplication, toEndpointsVersion, toSubscriber } from '../../shared/rows/rows.ts'
import { insertInto } from '../../shared/sql/sql.ts'
import { connectionOver, fileOf } from '../connection.ts'
import type { Connection } from '../connection.ts'
import { isDriver, isTransactionOf } from '../driver.ts'
import type { SqliteDriver } from '../driver.ts'
import { enqueue } from './enqueue.ts'
import { storeError } from '../errors.ts'

/** Sends within a transaction on the application's own connection; `own` is our connection to the same file. */
export function syncTransactionOn(tx: unknown, own: SqliteDriver): SyncStoreTransaction {
  checkTransaction(tx, own)
  const connection = connectionOver(tx)
  return {
    enqueue: (request) => undone(connection, () => enqueue(connection, request)),
    application(idOrUid) {
      const [row] = connection.query(applicationNamed(idOrUid))
      return row === undefined ? null : toApplication(row)
    },
    createApplication(application, by) {
      undone(connection, () => {
        connection.run(insertInto('applications', fromApplication(application)))
        if (by !== undefined)
          connection.run(insertInto('audit', fromAuditEntry(entryOf(applicationCreated(application, by)))))
      })
      return application
    },
    matching(applicationId) {
      const [row] = connection.query(endpointsVersion(applicationId))
      if (row === undefined) return null
      return {
        endpointsVersion: toEndpointsVersion(row),
        endpoints: connection.query(subscribersOf(applicationId)).map(toSubscriber),
      }
    },
  }
}

/**
 * Two copies of SQLite in one process do not respect each other's locks, and lose commits: hence the same driver, not just the same file.
 */
function checkTransaction(tx: unknown, own: SqliteDriver): asserts tx is SqliteDriver {
  const wanted = 'a connection to the same file, made by the driver that `open` uses, in a transaction'
  if (!isDriver(tx)) throw expected('invalid_argument', 'tx', wanted, tx)
  if (Object.getPrototypeOf(tx) !== Object.getPrototypeOf(own)) {
    throw expected(
      'invalid_argument',
      'tx',
      wanted,
      'one of another copy of SQLite',
      'Two copies lose what the other has committed: use one for both.',
    )
  }
  if (tx === own) throw expected('invalid_argument', 'tx', wanted, "Posthorn's own connection", 'Open one of your own.')
  const file = fileOf(tx)
  if (file !== fileOf(own))
    throw expected(
      'invalid_argument',
      'tx',
      wanted,
      `one to "${file}"`,
      'Posthorn stores nothing outside its own file.',
    )
  if (isTransactionOf(tx) !== true) {
    throw expected(
      'invalid_argument',
      'tx',
      wanted,
      'one that is in none',
      'Begin one first, with `begin immediate`, on the same connection.',
    )
  }
}

/** All of the work or none of it, whatever the application does about the error. */
function undone<Result>(connection: Connection, work: () => Result): Result {
  try {
    connection.prepare('savepoint posthorn').run()
    try {
      return work()
    } catch (thrown) {
      // Some errors, such as a full disk, have already ended the whole transaction.
      if (connection.inTransaction()) connection.prepare('rollback to posthorn').run()
      throw thrown
    } finally {
      if (connection.inTransaction()) connection.prepare('release posthorn').run()
    }
  } catch (thrown) {
    throw storeError(thrown)
  }
}
