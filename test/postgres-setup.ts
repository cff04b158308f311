import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { leadsTo } from './leads-to.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database in which tests may make schemas; absent if no test of this run uses `test/postgres.ts`. */
    postgresUrl: string | undefined
    /** What the schemas of this run are called first; absent if the database goes with the run. */
    schemaPrefix: string | undefined
  }
}

/** Starts one PostgreSQL for the whole run, if a test of it wants one; `POSTHORN_TEST_POSTGRES_URL` names another to use instead. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['POSTHORN_TEST_POSTGRES_URL']
  if (given !== undefined && given !== '') {
    const schemaPrefix = `test_${randomBytes(4).toString('hex')}_`
    project.provide('postgresUrl', given)
    project.provide('schemaPrefix', schemaPrefix)
    return () => dropSchemas(given, schemaPrefix)
  }
  if (!project.vitest.state.getPaths().some((file) => leadsTo(join(import.meta.dirname, 'postgres.ts'), file)))
    return undefined

  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

/** Schemas are kept from test to test; a server that stays must not keep them. */
async function dropSchemas(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where starts_with(nspname, $1)',
    [prefix],
  )
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`)
  await client.end()
}
