import type { Inspected } from '../shared/schema/inspected.ts'
import { newest } from '../shared/schema/migrate.ts'
import { sql } from '../shared/sql/sql.ts'
import { commandDatabase } from './command-database.ts'
import type { CommandDatabaseOptions } from './command-database.ts'
import { versionOf } from './migrate.ts'

/** Inspects a database without migrating it. */
export async function inspectDatabase(url: string, options: CommandDatabaseOptions): Promise<Inspected> {
  const database = commandDatabase(url, options)
  try {
    const [row] = await database.query(sql`select current_setting('server_version') as version,
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`)
    return {
      engine: `PostgreSQL ${String(row?.['version'])}`,
      schemaVersion: await versionOf(database, options.schema),
      wantedVersion: newest,
      connections: { used: Number(row?.['used']), most: Number(row?.['most']) },
    }
  } finally {
    await database.close()
  }
}
