import { describe, expect, test } from 'vitest'
import { engineWorld, urlOf } from './world.ts'

describe('a rate limit', () => {
  test('is kept over ten seconds, and is used up between the ticks too', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 20 })
    await world.endpoint('other')
    await world.send('limited', 500)
    const startedAt = world.clock.now()
    await world.posthorn.start()
    for (let step = 0; step < 100; step += 1) await world.clock.advance(100)

    const times = world.transport.requests.map(({ at }) => (at ?? 0) - startedAt)
    expect(times.length).toBeLessThanOrEqual(1.1 * 20 * 10 + 20)
    expect(times.length).toBeGreaterThanOrEqual(0.9 * 20 * 10)
    const perSecond = Array.from({ length: 10 }, (_, index) => times.filter((at) => at >= index * 1_000 && at < (index + 1) * 1_000).length)
    for (const count of perSecond) {
      expect(count).toBeGreaterThanOrEqual(18)
      expect(count).toBeLessThanOrEqual(41)
    }
  })

  test('is shared by two workers, and goes on with the one that is left', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.send('limited', 500)
    const second = world.second()
    await Promise.all([world.posthorn.start(), second.start()])
    for (let step = 0; step < 50; step += 1) await world.clock.advance(100)
    await world.posthorn.stop()
    for (let step = 0; step < 50; step += 1) await world.clock.advance(100)
    expect(world.sentTo('limited')).toBeLessThanOrEqual(1.1 * 10 * 10 + 10)
    expect(world.sentTo('limited')).toBeGreaterThanOrEqual(0.9 * 10 * 10)
    expect(new Set(world.store.claims().map(({ owner }) => owner)).size).toBe(2)
  })

  test('is not exceeded by what had to wait for the wire', async () => {
    const world = engineWorld({ pool: 2, slowStart: false })
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.send('limited', 100)
    const hold = world.transport.hold(urlOf('limited'))
    await world.posthorn.start()
    await world.clock.advance(900)
    const before = world.sentTo('limited')
    hold.release()
    for (let step = 0; step < 10; step += 1) await world.clock.advance(100)
    // A second's worth that had gathered, and that of this second.
    expect(world.sentTo('limited') - before).toBeLessThanOrEqual(20)
    expect(world.sentTo('limited') - before).toBeGreaterThanOrEqual(18)
  })

  test('loses nothing to claims that find fewer rows than they may take', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.posthorn.start()
    for (let message = 0; message < 10; message += 1) {
      await world.send('limited')
      await world.posthorn.idle()
    }
    expect(world.sentTo('limited')).toBe(10)
  })
})

test('E11 the tokens of 50 limited endpoints come with one call for each claim', async () => {
  const world = engineWorld()
  for (let index = 0; index < 50; index += 1) await world.endpoint(`limited-${index}`, { ratePerSecond: 100 })
  for (let index = 0; index < 50; index += 1) await world.send(`limited-${index}`, 2)
  await world.posthorn.start()
  await world.posthorn.idle()
  expect(world.transport.requests).toHaveLength(100)
  const calls = world.store.calls.filter(({ method }) => method === 'takeTokens' || method === 'claim')
  expect(calls.map(({ method }) => method).slice(0, 2)).toEqual(['takeTokens', 'claim'])
  expect(calls[0]?.request).toMatchObject([{ asks: Array.from({ length: 50 }, () => ({ perSecond: 100 })) }])
  const count = (method: string): number => calls.filter((call) => call.method === method).length
  expect(count('takeTokens')).toBeLessThanOrEqual(count('claim'))
  expect(world.store.calls.filter(({ method }) => method === 'saveHealth')).toEqual([])
})
