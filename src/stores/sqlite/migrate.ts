import { migrate, migrationScript } from '../shared/schema/migrate.ts'
import type { Migrated } from '../shared/schema/migrate.ts'
import { openConnection, sqliteDialect } from './connection.ts'
import { sqliteDatabase } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { storeError } from './errors.ts'

/** Migrates a file to this release, for the command `migrate`; `open` does the same. */
export async function migrateFile(path: string): Promise<Migrated> {
  let database: SqliteDatabase | undefined
  try {
    database = sqliteDatabase(openConnection(path))
    return await migrate(database)
  } catch (thrown) {
    throw storeError(thrown)
  } finally {
    await database?.close()
  }
}

/** The steps after a version, as SQL for SQLite. */
export function fileScript(after: number): string {
  return migrationScript(sqliteDialect, after)
}
