import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A PostgreSQL in processes of its own, which end with this one, whatever ends it. */
export interface PostgresServer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts `scripts/postgres.js`, which also says what the arguments mean. */
export async function startPostgres(...args: readonly string[]): Promise<PostgresServer> {
  // In a group of its own: Ctrl-C must not end it before it has cleaned up, which it does once the pipe is closed.
  const script = join(import.meta.dirname, '../scripts/postgres.js')
  const server = spawn(process.execPath, [script, ...args], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })
  const [url] = (await Promise.race([once(lines, 'line'), once(server, 'exit').then(() => [])])) as string[]
  if (url === undefined) throw new Error('Expected a PostgreSQL for the tests, and it did not start: see above.')
  return {
    url,
    async stop() {
      const ended = once(server, 'exit')
      server.stdin.end()
      await ended
    },
  }
}
