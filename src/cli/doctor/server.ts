import { systemClock } from '../../clock.ts'
import type { ApiClient } from '../http-api/api-client.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

// A date in a header has whole seconds.
const mostSkewMs = 2_000

/** Checks of a server. */
export async function serverChecks(serverUrl: string, openClient: () => Promise<ApiClient>): Promise<Check[]> {
  const base = serverUrl.replace(/\/+$/, '')
  const ready = await runCheck('server', async () => {
    const startedAt = systemClock.now()
    const response = await fetch(`${base}/readyz`).catch(() => null)
    if (response === null) return trouble('fail', `${base} does not answer.`, 'Is it running, and is --server right?')
    const found = `${base} says: ${(await response.text()).trim()}, within ${systemClock.now() - startedAt} ms.`
    return response.ok ? well(found) : trouble('fail', found, 'Look at its log and its database.')
  })
  if (ready.level === 'fail') return [ready]
  const key = await runCheck('key', async () => {
    const client = await openClient()
    await client.request('GET', '/endpoint', { query: { limit: '1' } })
    return well('The key is good.')
  })
  return [ready, key, await clockCheck(base)]
}

function clockCheck(base: string): Promise<Check> {
  return runCheck('clock', async () => {
    const response = await fetch(`${base}/livez`)
    const skewMs = Date.parse(response.headers.get('date') ?? '') - systemClock.now()
    const isSmall = Math.abs(skewMs) < mostSkewMs
    if (isSmall) return well("This machine's clock and the server's agree to the second.")
    const seconds = Math.round(Math.abs(skewMs) / 1_000)
    const found = `This machine's clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server's.`
    return trouble('warn', found, 'Let both follow a time server.')
  })
}
