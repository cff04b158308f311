import { onTestFinished } from 'vitest'
import { start } from './run.ts'

/** `posthorn serve` in this process, until the test has ended; answers with its URL. One that is killed is for `startProgram`. */
export async function serveHere(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const server = await start(
    ['serve', ...args],
    { ...environment, POSTHORN_SHUTDOWN_GRACE_MS: '0' },
    /^posthorn listening on /,
  )
  onTestFinished(async () => void (await server.stop()))
  return server.line.slice('posthorn listening on '.length)
}
