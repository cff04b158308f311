import { randomBytes } from 'node:crypto'
import { Pool, types } from 'pg'
import { inject } from 'vitest'

const int8 = 20

/** A schema of its own in the database of this run. */
export interface TestSchema {
  readonly url: string
  readonly schema: string
  /** Another connection than the store's, which finds the tables without the schema's name and reads numbers as numbers. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

/** Names a schema that nobody else uses; whoever migrates makes it, and `drop` removes it with all that is in it. */
export function freshSchema(): TestSchema {
  const url = inject('postgresUrl')
  if (url === undefined) throw new Error('Expected a PostgreSQL, found none: a fast run has none, and must leave out what needs it.')
  const schema = `test_${randomBytes(6).toString('hex')}`
  const pool = new Pool({ connectionString: url, max: 2, options: `-c search_path=${schema}`, types: { getTypeParser } })
  return {
    url,
    schema,
    query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    async drop() {
      await pool.query(`drop schema if exists ${schema} cascade`)
      await pool.end()
    },
  }
}

/** As `pg` reads a value, but numbers of 64 bits as numbers: no time or count of ours is beyond 2^53. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') => (type === int8 ? Number : types.getTypeParser(type, format))
