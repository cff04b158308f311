import { expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { openReceiver, openTransport, request } from './world.ts'

test('each path behaves as it was told, and the others by default', async () => {
  const server = await openReceiver({ behaviour: 204 })
  server.behave('/broken', 500)
  server.behave('/words', { status: 400, headers: { 'x-why': 'because' }, body: 'no' })
  server.behave('/mirror', ({ body }) => ({ status: 200, body }))
  const transport = openTransport()
  const statuses = []
  for (const path of ['/', '/broken', '/words', '/mirror'])
    statuses.push(await transport.send(request(server.url(path))))
  expect(statuses).toMatchObject([
    { statusCode: 204 },
    { statusCode: 500 },
    { statusCode: 400, responseBody: 'no' },
    { statusCode: 200, responseBody: '{"hello":"world"}' },
  ])
  server.behave('*', 418)
  expect(await transport.send(request(server.url('/other')))).toMatchObject({ statusCode: 418 })
})

test('a list is used from the front, and its last entry repeated; each path counts for itself', async () => {
  const server = await openReceiver()
  server.behave('/a', [500, 'reset', 200])
  server.behave('/b', [503, 200])
  const transport = openTransport()
  const seen: string[] = []
  for (const path of ['/a', '/b', '/a', '/a', '/a', '/b']) {
    const outcome = await transport.send(request(server.url(path)))
    seen.push(`${path} ${outcome.kind === 'answered' ? outcome.statusCode : outcome.kind}`)
  }
  expect(seen).toEqual(['/a 500', '/b 503', '/a reset', '/a 200', '/a 200', '/b 200'])
})

test('`waitFor` resolves with what came, in order, and at once if it has come already', async () => {
  const server = await openReceiver()
  const transport = openTransport()
  const waiting = server.waitFor(2, '/b')
  for (const path of ['/a', '/b', '/a', '/b'])
    await transport.send(request(server.url(path), { headers: { 'webhook-id': `msg${path}` } }))
  expect((await waiting).map(({ order, id }) => [order, id])).toEqual([
    [2, 'msg/b'],
    [4, 'msg/b'],
  ])
  expect(await server.waitFor(4)).toHaveLength(4)
  expect(server.receipts.map(({ path }) => path)).toEqual(['/a', '/b', '/a', '/b'])
})

test('`waitFor` says what was missing if the receiver is closed first', async () => {
  const server = await openReceiver()
  await openTransport().send(request(server.url('/a')))
  const waiting = server.waitFor(3, '/a')
  await Promise.all([expect(waiting).rejects.toThrow('1 of 3 requests for /a'), server.close()])
})

test('slow and dripping answers follow the clock they are given, and leave no timer behind', async () => {
  const clock = manualClock()
  const server = await openReceiver()
  server.behave('/slow', { kind: 'slow', afterMs: 60_000, clock, answer: 503 })
  server.behave('/drip', { kind: 'drip', everyMs: 1_000, clock })
  const transport = openTransport()
  const slow = transport.send(request(server.url('/slow')))
  void transport.send(request(server.url('/drip')))
  await server.waitFor(2)
  expect(clock.pending()).toBe(2)
  await clock.advance(60_000)
  expect(await slow).toMatchObject({ statusCode: 503 })
  await transport.close()
  await server.close()
  expect(clock.pending()).toBe(0)
})

test('without receipts it still counts', async () => {
  const server = await openReceiver({ keepReceipts: false })
  const transport = openTransport()
  await Promise.all([transport.send(request(server.url())), transport.send(request(server.url())), server.waitFor(2)])
  expect([server.count, server.receipts.length]).toEqual([2, 0])
})
