import { once } from 'node:events'
import { createServer } from 'node:net'
import { systemClock } from '../../clock.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

const mostWaitMs = 2_000

interface CheckedPort {
  /** The name of the check. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** The setting that chooses the port. */
  readonly setting: string
}

/** Whether a port is free, or already used by Posthorn. */
export function portCheck({ name, host, port, setting }: CheckedPort): Promise<Check> {
  return runCheck(name, async () => {
    if (port === 0) return well(`${setting} is 0: any port that is free.`)
    const problem = await bindProblem(host, port)
    if (problem === null) return well(`Port ${port} on ${host} is free.`)
    if (problem !== 'EADDRINUSE')
      return trouble('fail', `Port ${port} on ${host} cannot be listened on: ${problem}.`, `Change ${setting}.`)
    if (await isPosthorn(host, port)) return well(`A Posthorn answers on port ${port}.`)
    return trouble('warn', `Another program has port ${port} on ${host}.`, `Stop it, or change ${setting}.`)
  })
}

/** Null if it can be listened on; otherwise the error code. */
async function bindProblem(host: string, port: number): Promise<string | null> {
  const server = createServer()
  try {
    server.listen({ host, port })
    await once(server, 'listening')
    return null
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
  } finally {
    server.close()
  }
}

async function isPosthorn(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  const abort = new AbortController()
  const disarm = systemClock.after(mostWaitMs, () => abort.abort())
  try {
    const response = await fetch(`http://${name}:${port}/livez`, { signal: abort.signal })
    return (await response.text()).trim() === 'alive'
  } catch {
    return false
  } finally {
    disarm()
  }
}
