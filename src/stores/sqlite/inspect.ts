import type { Inspected } from '../shared/schema/inspected.ts'
import { newest, versionOf } from '../shared/schema/migrate.ts'
import { sql } from '../shared/sql/sql.ts'
import { openConnection } from './connection.ts'
import { sqliteDatabase } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { storeError } from './errors.ts'

/** Inspects a file without migrating it. */
export async function inspectFile(path: string): Promise<Inspected> {
  let database: SqliteDatabase | undefined
  try {
    database = sqliteDatabase(openConnection(path))
    const [row] = await database.query(
      sql`select sqlite_version() as version, (select count(*) from sqlite_master where name = 'posthorn_migrations') as made`,
    )
    const schemaVersion = Number(row?.['made']) === 0 ? 0 : await database.transaction((tx) => versionOf(tx))
    return { engine: `SQLite ${String(row?.['version'])}`, schemaVersion, wantedVersion: newest, connections: null }
  } catch (thrown) {
    throw storeError(thrown)
  } finally {
    await database?.close()
  }
}
