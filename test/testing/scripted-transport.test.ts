import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import type { OutgoingRequest } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'

const url = 'https://example.com/hooks'
const ok: Outcome = { kind: 'answered', statusCode: 200, responseBody: '', retryAfterMs: null }
const request = (change: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  url,
  headers: {},
  body: Buffer.from('hello'),
  timeoutMs: 30_000,
  ...change,
})

describe('a scripted transport', () => {
  test('answers 200 unless told otherwise, and remembers what it sent', async () => {
    const clock = manualClock(5)
    const transport = scriptedTransport(clock)
    expect(
      await transport.send(request({ headers: { 'webhook-id': 'msg_1' }, body: Buffer.from('grüezi').subarray(2) })),
    ).toEqual(ok)
    expect(transport.requests).toEqual([{ url, headers: { 'webhook-id': 'msg_1' }, body: 'üezi', at: 5 }])
  })

  test('needs no clock', async () => {
    const transport = scriptedTransport()
    await transport.send(request())
    expect(transport.requests[0]?.at).toBeNull()
    expect(() => transport.answer(url, 200, { delayMs: 5 })).toThrow(
      'Make the transport with `scriptedTransport(clock)`',
    )
  })

  test.each([
    ['a status', 503, { ...ok, statusCode: 503 }],
    ['an outcome', { kind: 'dns', reason: 'no such host' }, { kind: 'dns', reason: 'no such host' }],
    ['a function', (asked: OutgoingRequest) => asked.body.length, { ...ok, statusCode: 5 }],
    ['a promise', async () => 418, { ...ok, statusCode: 418 }],
  ] as const)('answers with %s', async (_, script, outcome) => {
    const transport = scriptedTransport()
    transport.answer(url, script)
    expect(await transport.send(request())).toEqual(outcome)
    expect(await transport.send(request({ url: 'https://other.example/' }))).toEqual(ok)
  })

  test('follows the latest script that fits', async () => {
    const transport = scriptedTransport()
    transport.answer(() => true, 500)
    transport.answer(url, 404)
    transport.answer((asked) => asked.headers['x'] === 'y', 410)
    const codes = [request(), request({ headers: { x: 'y' } }), request({ url: 'https://other.example/' })].map(
      async (asked) => {
        const outcome = await transport.send(asked)
        return outcome.kind === 'answered' ? outcome.statusCode : outcome.kind
      },
    )
    expect(await Promise.all(codes)).toEqual([404, 410, 500])
  })

  test('breaks its promise where a script throws', async () => {
    const transport = scriptedTransport()
    transport.answer(url, () => {
      throw new Error('broken')
    })
    await expect(transport.send(request())).rejects.toThrow('broken')
    expect(transport.open(url)).toBe(0)
  })

  test('answers after a delay, by the clock', async () => {
    const clock = manualClock(0)
    const transport = scriptedTransport(clock)
    transport.answer(url, 200, { delayMs: 40 })
    const ends: number[] = []
    const sent = transport.send(request()).then((outcome) => (ends.push(clock.now()), outcome))
    await clock.advance(39)
    expect(ends).toEqual([])
    await clock.advance(1)
    expect(await sent).toEqual(ok)
    expect(ends).toEqual([40])
  })

  test('a delay beyond the timeout ends as one', async () => {
    const clock = manualClock(0)
    const transport = scriptedTransport(clock)
    transport.answer(url, 200, { delayMs: 60_000 })
    const sent = transport.send(request({ timeoutMs: 1000 }))
    await clock.advance(1000)
    expect(await sent).toEqual({ kind: 'timeout', reason: 'No answer within 1000 ms' })
    expect(clock.pending()).toBe(0)
  })

  test('holds requests until they are released, and then answers as scripted', async () => {
    const transport = scriptedTransport()
    const hold = transport.hold(url)
    const held = [transport.send(request()), transport.send(request())]
    expect(await transport.send(request({ url: 'https://other.example/' }))).toEqual(ok)
    expect([hold.waiting, transport.open(url)]).toEqual([2, 2])

    transport.answer(url, 500)
    hold.release()
    expect(await Promise.all(held)).toEqual([
      { ...ok, statusCode: 500 },
      { ...ok, statusCode: 500 },
    ])
    expect([hold.waiting, transport.open(url)]).toEqual([0, 0])
    expect(await transport.send(request())).toEqual({ ...ok, statusCode: 500 })
  })

  test('counts the most that were open at once, url by url', async () => {
    const transport = scriptedTransport()
    const hold = transport.hold(url)
    const held = [1, 2, 3].map(() => transport.send(request()))
    hold.release()
    await Promise.all(held)
    await transport.send(request())
    expect([transport.mostOpen(url), transport.open(url)]).toEqual([3, 0])
    expect(transport.mostOpen('https://other.example/')).toBe(0)
  })

  test('says when a number of requests has been sent', async () => {
    const transport = scriptedTransport()
    let seen = 0
    const three = transport.sent(3).then(() => (seen = transport.requests.length))
    for (let count = 0; count < 3; count += 1) await transport.send(request())
    await three
    expect(seen).toBe(3)
    await transport.sent(2)
  })

  test('ends what is open as reset when it is closed, and leaves no timer', async () => {
    const clock = manualClock(0)
    const transport = scriptedTransport(clock)
    const hold = transport.hold('https://held.example/')
    transport.answer(url, 200, { delayMs: 1000 })
    const sent = [transport.send(request()), transport.send(request({ url: 'https://held.example/' }))]
    await clock.advance(10)
    await transport.close()
    for (const outcome of await Promise.all(sent)) expect(outcome.kind).toBe('reset')
    expect(clock.pending()).toBe(0)
    expect([hold.waiting, transport.open(url)]).toEqual([0, 0])
  })
})
