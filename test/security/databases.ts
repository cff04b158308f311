import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import type { GivenKeys } from '../../src/stores/shared/secrets.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { temporaryFolder } from '../cli/folder.ts'
import { isFast, lentSchema } from '../postgres.ts'
import { contentsBeside } from '../stores/sqlite-folder.ts'

export const databases = isFast ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const)

/** A database of the test's own, opened with whatever keys it is given, and read byte by byte. */
export interface SecurityDatabase {
  readonly environment: Readonly<Record<string, string>>
  /** Not open yet; closed when the test ends. Without a key it stores secrets as plain text. */
  store(secretsKey: GivenKeys | null): Store
  /** As somebody would who can write to the database. */
  copySecret(fromEndpointId: string, toEndpointId: string): Promise<void>
  /** Everything that is stored, as one text. */
  contents(): Promise<string>
}

export async function securityDatabase(kind: (typeof databases)[number]): Promise<SecurityDatabase> {
  return kind === 'sqlite' ? inFile() : inSchema()
}

async function inFile(): Promise<SecurityDatabase> {
  const file = join(await temporaryFolder(), 'posthorn.db')
  return {
    environment: { POSTHORN_DATABASE_URL: `sqlite:${file}` },
    store: (secretsKey) => closedAtEnd(sqlite(file, { synchronous: 'off', ...optionsOf(secretsKey) })),
    async copySecret(from, to) {
      const { DatabaseSync } = await import('@photostructure/sqlite')
      const database = new DatabaseSync(file)
      database.exec(copying('posthorn_endpoint_secrets', from, to))
      database.close()
    },
    // The log beside it, too.
    contents: async () => (await contentsBeside(file)).toString('latin1'),
  }
}

async function inSchema(): Promise<SecurityDatabase> {
  const { url, schema, query } = lentSchema()
  return {
    environment: { POSTHORN_DATABASE_URL: url, POSTHORN_SCHEMA: schema },
    store: (secretsKey) => closedAtEnd(postgres(url, { schema, ...optionsOf(secretsKey) })),
    async copySecret(from, to) {
      await query(copying(`${schema}.endpoint_secrets`, from, to))
    },
    async contents() {
      const tables = await query(`select table_name from information_schema.tables where table_schema = '${schema}'`)
      const all = []
      for (const { table_name: name } of tables)
        all.push(...(await query(`select row_to_json(t)::text as row from ${schema}.${String(name)} t`)))
      return all.map(({ row }) => String(row)).join('\n')
    },
  }
}

function copying(table: string, from: string, to: string): string {
  return `update ${table} set sealed = (select sealed from ${table} where endpoint_id = '${from}') where endpoint_id = '${to}'`
}

/** Null asks for plain text. */
function optionsOf(secretsKey: GivenKeys | null) {
  return secretsKey === null ? { plaintextSecrets: true } : { secretsKey }
}

function closedAtEnd(store: Store): Store {
  onTestFinished(() => store.close())
  return store
}
