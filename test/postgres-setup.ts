import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
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

/** Whether a file imports another, itself or through others of the tests. */
function leadsTo(wanted: string, file: string, seen = new Set<string>()): boolean {
  if (file === wanted) return true
  if (seen.has(file) || !file.startsWith(import.meta.dirname)) return false
  seen.add(file)
  const imported = [...readFileSync(file, 'utf8').matchAll(/^import (?!type )[^']*'(\.[^']+\.ts)'/gm)].map(
    ([, path = '']) => resolve(dirname(file), path),
  )
  return imported.some((path) => leadsTo(wanted, path, seen))
}
