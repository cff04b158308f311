import { describe, expect, test } from 'vitest'
import type { Timing, Wire } from '../../../src/core/delivery/diagnostics.ts'
import type { Outcome } from '../../../src/core/delivery/attempt.ts'
import { databases } from '../world.ts'
import { routesWorld, url } from './world.ts'
import type { RoutesWorld } from './world.ts'

const timing: Timing = { dnsMs: 3, connectMs: 12, tlsMs: 30, firstByteMs: 200, totalMs: 246, reused: false }
const address = '203.0.113.77'
const refused: Outcome = { kind: 'answered', statusCode: 503, responseBody: 'down', retryAfterMs: null }
const forbidden: Outcome = { kind: 'forbidden', reason: `The name has no public address (${address} is not allowed)` }

/** The one delivery after an attempt that came to an outcome, and was seen on its way. */
async function attempted(world: RoutesWorld, outcome: Outcome, headers: Wire['headers'] = null): Promise<string> {
  world.transport.answer(url, (request) => {
    request.observe?.({ timing, address, headers })
    return outcome
  })
  await world.message()
  await world.posthorn.idle()
  const { data } = (await world.ask(200, 'GET', '/delivery')) as { data: { id: string }[] }
  return data[0]?.id ?? ''
}

async function firstAttempt(world: RoutesWorld, id: string, token?: string): Promise<unknown> {
  const asked = token === undefined ? {} : { token }
  const { attempts } = (await world.ask(200, 'GET', `/delivery/${id}`, undefined, asked)) as { attempts: unknown[] }
  return attempts[0]
}

/** The token of a link to the portal of the customer. */
async function portalToken({ ask }: RoutesWorld): Promise<string> {
  const { token } = await ask(200, 'POST', '/auth/app-portal-access/acme', {})
  return String(token)
}

describe.each(databases)('a failed attempt on %s', (database) => {
  test('shows the steps, the address and the headers to an operator, and no credentials', async () => {
    const world = await routesWorld(database, true)
    await world.ask(204, 'PUT', `/app/acme/endpoint/${world.endpointId}/headers`, {
      headers: { 'x-tenant': 'planted-value' },
    })
    const id = await attempted(world, refused, {
      server: 'nginx',
      'set-cookie': 'session=planted',
      'x-echo': 'got planted-value',
    })
    const attempt = await firstAttempt(world, id)
    expect(attempt).toMatchObject({
      timing,
      address,
      omittedHeaders: 0,
      request: { recorded: true, sensitive: ['x-tenant'] },
      responseHeaders: { headers: { server: 'nginx' }, sensitive: ['set-cookie', 'x-echo'] },
    })
    expect(world.transport.requests[0]?.headers).toMatchObject(
      (attempt as { request: { headers: Record<string, string> } }).request.headers,
    )
    expect(attempt).toMatchObject({
      request: {
        headers: { 'webhook-signature': expect.stringMatching(/^v1,/), 'webhook-timestamp': expect.any(String) },
      },
    })
    expect(JSON.stringify(attempt)).not.toContain('planted')
  })

  test('shows a customer no address, and the steps only if there was an answer', async () => {
    const world = await routesWorld(database, true)
    const id = await attempted(world, refused, { server: 'nginx' })
    for (const token of [await portalToken(world), await world.token({ application: 'acme' })]) {
      const attempt = await firstAttempt(world, id, token)
      expect(attempt).toMatchObject({ address: null, timing, responseHeaders: { headers: { server: 'nginx' } } })
      expect(JSON.stringify(attempt)).not.toContain(address)
    }
  })

  test('does not tell a customer how far a request came that found no public address', async () => {
    const world = await routesWorld(database, true)
    const id = await attempted(world, forbidden)
    expect(await firstAttempt(world, id)).toMatchObject({ address, timing })
    const attempt = await firstAttempt(world, id, await portalToken(world))
    expect(attempt).toMatchObject({ address: null, timing: null, outcome: 'forbidden' })
    expect(JSON.stringify(attempt)).not.toContain(address)
  })

  test('is a success if it succeeds, and then nothing of this is kept', async () => {
    const world = await routesWorld(database, true)
    const id = await attempted(world, { ...refused, statusCode: 204 }, { server: 'nginx' })
    expect(await firstAttempt(world, id)).toMatchObject({
      statusCode: 204,
      timing: null,
      address: null,
      responseHeaders: null,
      request: { recorded: false },
    })
  })

  test('is not in the lists that clients of Svix read', async () => {
    const world = await routesWorld(database, true)
    await attempted(world, refused, { server: 'nginx-planted' })
    const list = await world.ask(200, 'GET', `/app/acme/attempt/endpoint/${world.endpointId}`)
    expect(JSON.stringify(list)).not.toMatch(/nginx-planted|203\.0\.113|timing|responseHeaders/)
  })
})
