import { expect, test } from 'vitest'
import { nothingElse, withMetrics } from '../../src/server/http/metrics.ts'
import type { Authorize } from '../../src/server/request/authentication.ts'

const registry = { contentType: 'text/plain', metrics: async () => 'up 1\n' }

function asked(authorize: Authorize | null, url = 'http://127.0.0.1/metrics'): Promise<Response> {
  return withMetrics(nothingElse, { registry, authorize })(new Request(url))
}

test('while the database does not know who asks, metrics are unavailable, not refused', async () => {
  const response = await asked(() => Promise.reject(new Error('gone')))
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('gone')
})

test('metrics are at their path alone, and all else is left to the handler', async () => {
  expect(await (await asked(null)).text()).toBe('up 1\n')
  expect(await (await asked(null, 'http://127.0.0.1/metrics?name=up')).text()).toBe('up 1\n')
  expect((await asked(null, 'http://127.0.0.1/metrics/more')).status).toBe(404)
  expect((await withMetrics(nothingElse, null)(new Request('http://127.0.0.1/metrics'))).status).toBe(404)
})

test('the handler still learns where a request came from', async () => {
  const from: (string | undefined)[] = []
  const handler = withMetrics(
    async (_request, connection) => {
      from.push(connection?.incoming?.socket.remoteAddress)
      return new Response(null)
    },
    { registry, authorize: null },
  )
  await handler(new Request('http://127.0.0.1/api/v1/app'), { incoming: { socket: { remoteAddress: '10.0.0.7' } } })
  expect(from).toEqual(['10.0.0.7'])
})
