import { withoutPassword } from '../config/database-url.ts'
import type { Settings } from '../config/settings.ts'
import { expected } from '../core/errors.ts'
import type { Store } from '../core/ports/ports.ts'
import type { Inspected } from '../stores/shared/schema/inspected.ts'
import type { Migrated } from '../stores/shared/schema/migrate.ts'

/** The database that a URL names, as far as commands need it. */
export interface NamedDatabase {
  /** The URL as people may see it: without password and options. */
  readonly shown: string
  /** Its file; null if it has none. */
  readonly file: string | null
  openStore(): Promise<Store>
  /** Inspects it without changing anything. */
  inspect(): Promise<Inspected>
  /** Migrates its schema to this release. */
  migrate(): Promise<Migrated>
  /** The SQL that `migrate` would run on a schema of the given version; connects to nothing. */
  migrationScript(after: number): Promise<string>
}

type DatabaseSettings = Pick<Settings, 'secretsKey' | 'plaintextSecrets' | 'schema' | 'prepare' | 'notify'>

/** Finds the store for a URL. The other database's code is not even loaded. */
export function databaseAt(databaseUrl: string, settings: DatabaseSettings): NamedDatabase {
  const path = /^sqlite:(?:\/\/)?(.+)$/s.exec(databaseUrl)?.[1]
  if (path !== undefined) return sqliteFile(path, settings)
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return postgresDatabase(databaseUrl, settings)
  // Only the beginning is shown: such a URL may contain a password.
  const shown = `${databaseUrl.slice(0, databaseUrl.indexOf(':') + 1)}…`
  const wanted = '`sqlite:` and a path, such as sqlite:webhooks.db, or postgres://user:password@host:port/database'
  throw expected('invalid_argument', 'database', wanted, shown, 'Change POSTHORN_DATABASE_URL or --database.')
}

function sqliteFile(path: string, { secretsKey, plaintextSecrets }: DatabaseSettings): NamedDatabase {
  return {
    shown: `sqlite:${path}`,
    file: path,
    async openStore() {
      const { sqlite } = await import('../stores/sqlite/index.ts')
      return sqlite(path, { secretsKey: secretsKey ?? undefined, plaintextSecrets })
    },
    async inspect() {
      const { inspectFile } = await import('../stores/sqlite/inspect.ts')
      return inspectFile(path)
    },
    async migrate() {
      const { migrateFile } = await import('../stores/sqlite/migrate.ts')
      return migrateFile(path)
    },
    async migrationScript(after) {
      const { fileScript } = await import('../stores/sqlite/migrate.ts')
      return fileScript(after)
    },
  }
}

function postgresDatabase(
  url: string,
  { secretsKey, plaintextSecrets, schema, prepare, notify }: DatabaseSettings,
): NamedDatabase {
  return {
    shown: withoutPassword(url),
    file: null,
    async openStore() {
      const { postgres } = await import('../stores/postgres/index.ts')
      return postgres(url, {
        secretsKey: secretsKey ?? undefined,
        plaintextSecrets,
        schema,
        prepare,
        notify: notify ?? undefined,
      })
    },
    async inspect() {
      const { inspectDatabase } = await import('../stores/postgres/inspect.ts')
      return inspectDatabase(url, { schema, prepare })
    },
    async migrate() {
      const { migrateDatabase } = await import('../stores/postgres/migrate.ts')
      return migrateDatabase(url, { schema, prepare })
    },
    async migrationScript(after) {
      const { migrationScript } = await import('../stores/postgres/migrate.ts')
      return migrationScript(schema, after)
    },
  }
}
