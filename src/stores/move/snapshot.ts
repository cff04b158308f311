import { expected } from '../../core/errors.ts'
import { toSnapshotCounts } from '../shared/rows/move-rows.ts'
import type { SnapshotCounts } from '../shared/rows/move-rows.ts'
import { newerDatabase, newest } from '../shared/schema/migrate.ts'
import type { Connection } from '../sqlite/connection.ts'

/** The contents of a database snapshot. */
export interface Snapshot extends SnapshotCounts {
  /** The newest secret in its stored form; empty if there is none. */
  readonly newestSecret: string
}

/**
 * Reads a snapshot through another connection, so that the snapshot itself does not change. Refuses one that is damaged, from another
 * program, or from a later release.
 */
export function inspectSnapshot(connection: Connection, path: string): Snapshot {
  connection.prepare('attach database ?1 as snapshot').run(path)
  try {
    checkWhole(connection, path)
    checkVersion(connection, path)
    const counts = toSnapshotCounts(connection.prepare(countDeliveries).get() ?? {})
    const newestSecret = connection.prepare(selectNewestSecret).get()?.['sealed']
    return { ...counts, newestSecret: typeof newestSecret === 'string' ? newestSecret : '' }
  } finally {
    connection.prepare('detach database snapshot').run()
  }
}

const countDeliveries = `select count(*) as deliveries,
  coalesce(sum(status in ('pending', 'failed')), 0) as open,
  coalesce(sum(status in ('pending', 'failed') and lease_owner is not null), 0) as in_flight
from snapshot.webhook_deliveries`

const selectNewestSecret = 'select sealed from snapshot.posthorn_endpoint_secrets order by id desc limit 1'

function checkWhole(connection: Connection, path: string): void {
  const found = connection.prepare('pragma snapshot.quick_check(1)').get()?.['quick_check']
  if (found === 'ok') return
  throw expected('store_failed', path, 'a whole SQLite file', found, 'It is damaged: take another backup.')
}

function checkVersion(connection: Connection, path: string): void {
  const isOurs = `select 1 from snapshot.sqlite_master where name = 'posthorn_migrations'`
  if (connection.prepare(isOurs).get() === undefined)
    throw expected('store_failed', path, 'a backup of Posthorn', 'a database of another program')
  const version = Number(
    connection.prepare('select max(version) as version from snapshot.posthorn_migrations').get()?.['version'],
  )
  if (version > newest) throw newerDatabase(version)
}
