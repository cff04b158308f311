import { describe, expect, test } from 'vitest'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'

describe('the budget', () => {
  test('at most 8 windows of an endpoint are leased, and what has not started after a second is given back unharmed', async () => {
    const world = engineWorld()
    await world.endpoint('hung')
    world.transport.hold(urlOf('hung'))
    await world.send('hung', 200)
    await world.posthorn.start()
    await settled()
    expect(leased(await world.rows())).toBe(40)
    expect(world.transport.open(urlOf('hung'))).toBe(5)

    await world.clock.advance(750)
    expect(leased(await world.rows())).toBe(40)
    await world.clock.advance(750)
    const rows = await world.rows()
    expect(leased(rows)).toBe(5)
    expect(rows.filter(({ leaseOwner }) => leaseOwner === null)).toMatchObject(
      Array.from({ length: 195 }, () => ({ status: 'pending', attemptCount: 0, crashCount: 0, leaseUntil: null })),
    )
    // Once bitten: no more is leased ahead than can start.
    await world.clock.advance(20_000)
    expect(leased(await world.rows())).toBe(5)
  })

  test('what was given back is sent once the endpoint answers again, each row once', async () => {
    const world = engineWorld()
    await world.endpoint('slow')
    const hold = world.transport.hold(urlOf('slow'))
    await world.send('slow', 60)
    await world.posthorn.start()
    await world.clock.advance(2_000)
    hold.release()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(60)
    expect(world.sentTo('slow')).toBe(60)
  })

  test('no more than maxLeased rows are held in all, and a store that is slow to mark stops the sending', async () => {
    const world = engineWorld({ maxLeased: 10, fastPath: false })
    await world.endpoint('hook')
    const marks = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'mark') await marks.opened
      return run()
    }
    await world.send('hook', 100)
    await world.posthorn.start()
    await settled()
    expect(world.sentTo('hook')).toBeLessThanOrEqual(10)
    expect(leased(await world.rows())).toBeLessThanOrEqual(10)
    marks.open()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(100)
  })

  test('of one row is enough to deliver everything', async () => {
    const world = engineWorld({ maxLeased: 1 })
    for (const name of ['one', 'two']) {
      await world.endpoint(name)
      await world.send(name, 5)
    }
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(10)
  })

  test.each([['on', true], ['off', false]])('1,000 hung endpoints hold at most half of it, and leave the healthy ones alone (fast path %s)', async (_name, fastPath) => {
    const maxLeased = 200
    const world = engineWorld({ maxLeased, fastPath })
    await world.endpoint('healthy')
    await world.send('healthy')
    await world.posthorn.start()
    await world.posthorn.idle()
    const hung = Array.from({ length: 1_000 }, (_, index) => `hung-${index}`)
    for (const name of hung) await world.endpoint(name)
    world.transport.hold(({ url }) => url.includes('hung'))
    await Promise.all(hung.map((name) => world.send(name, 2)))
    await settled()
    const held = world.transport.requests.length - world.sentTo('healthy')
    expect(held).toBeGreaterThan(maxLeased / 4)
    expect(held).toBeLessThanOrEqual(maxLeased / 2)

    for (let round = 1; round <= 5; round += 1) {
      await world.clock.advance(5_000)
      await world.send('healthy', 50)
      await settled()
      expect(world.sentTo('healthy')).toBe(1 + round * 50)
    }
    expect(leased(await world.rows())).toBeLessThanOrEqual(maxLeased / 2)
  })
})
