import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { leadsTo } from './leads-to.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database in which tests may make schemas; absent if no test of this run uses `test/postgres.ts`. */
    postgresUrl: string | undefined
  }
}

/** Starts one PostgreSQL for the whole run, if a test of it wants one; `POSTHORN_TEST_POSTGRES_URL` names another to use instead. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['POSTHORN_TEST_POSTGRES_URL']
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given)
    return undefined
  }
  if (!project.vitest.state.getPaths().some((file) => leadsTo(join(import.meta.dirname, 'postgres.ts'), file)))
    return undefined

  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
