import { randomBytes } from 'node:crypto'
import { Pool, types } from 'pg'
import { inject } from 'vitest'

const int8 = 20

/** A fast run has no PostgreSQL and little time: it leaves out what needs one, and repeats less. */
export const isFast = process.env['POSTHORN_TEST_FAST'] === '1'

/** A schema of its own in the database of this run. */
export interface TestSchema {
  readonly url: string
  readonly schema: string
  /** Another connection than the store's, which finds the tables without the schema's name and reads numbers as numbers. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Empties the tables that a store has made: much quicker than to make them anew. */
  empty(): Promise<void>
  drop(): Promise<void>
}

/** Names a schema that nobody else uses; whoever migrates makes it, and `drop` removes it with all that is in it. */
export function freshSchema(url = inject('postgresUrl')): TestSchema {
  if (url === undefined)
    throw new Error('Expected a PostgreSQL, found none: a fast run has none, and must leave out what needs it.')
  const schema = `test_${randomBytes(6).toString('hex')}`
  const pool = new Pool({
    connectionString: url,
    max: 2,
    allowExitOnIdle: true,
    options: `-c search_path=${schema}`,
    types: { getTypeParser },
  })
  // A server that is stopped says so even to a connection that is just being closed.
  pool.on('error', () => undefined)
  const query: TestSchema['query'] = async (sql, values = []) => (await pool.query(sql, [...values])).rows
  return {
    url,
    schema,
    query,
    async empty() {
      const tables = await query(
        `select tablename from pg_tables where schemaname = $1 and tablename <> 'migrations'`,
        [schema],
      )
      // Not truncated: that makes new files for every table and index, and they are nearly empty.
      await pool.query(tables.map(({ tablename }) => `delete from ${String(tablename)};`).join('\n'))
    },
    async drop() {
      await pool.query(`drop schema if exists ${schema} cascade`)
      await pool.end()
    },
  }
}

/** As `pg` reads a value, but numbers of 64 bits as numbers: no time or count of ours is beyond 2^53. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') =>
  type === int8 ? Number : types.getTypeParser(type, format)
