import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'

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
  if (!project.vitest.state.getPaths().some((file) => leadsTo(join(import.meta.dirname, 'postgres.ts'), file))) return undefined

  // In a group of its own: Ctrl-C must not end it before it has cleaned up, which it does once the pipe is closed.
  const server = spawn(process.execPath, [join(import.meta.dirname, '../scripts/postgres.js')], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })
  const [url] = (await Promise.race([once(lines, 'line'), once(server, 'exit').then(() => [])])) as string[]
  if (url === undefined) throw new Error('Expected a PostgreSQL for the tests, and it did not start: see above.')
  project.provide('postgresUrl', url)
  return async () => {
    const ended = once(server, 'exit')
    server.stdin.end()
    await ended
  }
}

/** Whether a file imports another, itself or through others of the tests. */
function leadsTo(wanted: string, file: string, seen = new Set<string>()): boolean {
  if (file === wanted) return true
  if (seen.has(file) || !file.startsWith(import.meta.dirname)) return false
  seen.add(file)
  const imported = [...readFileSync(file, 'utf8').matchAll(/^import (?!type )[^']*'(\.[^']+\.ts)'/gm)].map(([, path = '']) => resolve(dirname(file), path))
  return imported.some((path) => leadsTo(wanted, path, seen))
}
