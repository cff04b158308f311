import { randomBytes } from 'node:crypto'
import { Pool, types } from 'pg'
import { inject, onTestFinished } from 'vitest'

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

/** Schemas that tests of this process have used and left empty: to make one takes ten times as long as to empty it. */
const free: TestSchema[] = []
/** What leaves more behind than rows. */
const changesMore = /\b(create|alter|drop|analyze)\b/i

/** A schema for one test, with empty tables or none; whoever opens it finds or makes them. It is taken back when the test ends. */
export function lentSchema(): TestSchema {
  const lent = free.pop() ?? freshSchema()
  let isAsMade = true
  // Registered first, so that it runs last.
  onTestFinished(async () => {
    if (!isAsMade) return lent.drop()
    await lent.empty()
    free.push(lent)
  })
  return {
    ...lent,
    query(sql, values) {
      if (changesMore.test(sql)) isAsMade = false
      return lent.query(sql, values)
    },
  }
}

/** Names a schema that nobody else uses; whoever migrates makes it, and `drop` removes it with all that is in it. */
export function freshSchema(url = inject('postgresUrl')): TestSchema {
  if (url === undefined)
    throw new Error('Expected a PostgreSQL, found none: a fast run has none, and must leave out what needs it.')
  const schema = `${inject('schemaPrefix') ?? 'test_'}${randomBytes(6).toString('hex')}`
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
