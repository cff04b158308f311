import { expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { openReceiver, openTransport, request } from './world.ts'

// In a file, and so in a process, of its own: what other tests are still closing would be counted too.
test('after close nothing is left: no socket, no timer, no request', async () => {
  const before = openSockets()
  const clock = manualClock()
  let cancelled = 0
  const server = await openReceiver({ behaviour: 'hang' })
  server.behave('/fine', 200)
  const transport = openTransport({ clock, lookup: () => () => cancelled++ })
  await transport.send(request(server.url('/fine')))
  expect(clock.pending()).toBe(0)
  const open = Array.from({ length: 5 }, () => transport.send(request(server.url('/hung'))))
  const lookingUp = transport.send(request('http://slow.localhost/'))
  await server.waitFor(5, '/hung')
  expect([clock.pending(), openSockets() - before]).toEqual([1, 11]) // One listens, and five connections have two ends each.

  const closed = transport.close()
  expect(await Promise.all([...open, lookingUp])).toEqual(
    Array.from({ length: 6 }, () => ({ kind: 'reset', reason: 'the transport was closed' })),
  )
  await closed
  await server.close()
  // The server's own ends are gone after the turn of the loop in which they were closed.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect([clock.pending(), openSockets() - before, cancelled]).toEqual([0, 0, 1])

  expect(await transport.send(request(server.url('/fine')))).toEqual({
    kind: 'reset',
    reason: 'the transport was closed',
  })
  await transport.close()
})

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource.startsWith('TCP') || resource.startsWith('TLS'))
    .length
}
