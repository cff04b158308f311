import { PosthornError } from '../core/errors.ts'
import type { Database, Executor } from './database.ts'
import { migrations } from './migrations.ts'
import { sql, table } from './sql.ts'

const newest = Math.max(...migrations.map(({ version }) => version))

/** Brings the schema up to this release, one transaction in all; refuses a database of a later one. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(sql`create table if not exists ${table('migrations')} (version integer primary key not null)`)
    const found = await versionOf(tx)
    if (found > newest) {
      throw new PosthornError(
        'newer_database',
        `Expected a database of version ${newest} or older, got version ${found}. It was made by a later release of Posthorn: upgrade this one.`,
      )
    }
    for (const { version, statements } of migrations.filter((step) => step.version > found)) {
      for (const statement of statements) await tx.run(statement)
      await tx.run(sql`insert into ${table('migrations')} (version) values (${version})`)
    }
  })
}

async function versionOf(tx: Executor): Promise<number> {
  const [row] = await tx.query(sql`select coalesce(max(version), 0) as version from ${table('migrations')}`)
  return Number(row?.['version'] ?? 0)
}
