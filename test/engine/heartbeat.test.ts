import { expect, test } from 'vitest'
import type { Lease } from '../../src/core/lease.ts'
import { makeHeartbeat } from '../../src/engine/heartbeat.ts'
import type { Heartbeat } from '../../src/engine/heartbeat.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { makeGate } from './gate.ts'

const leaseMs = 30_000

test('all leases are renewed together, every third of a lease', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  await world.clock.advance(4_000)
  world.hold('b')
  await world.clock.advance(26_000)
  expect(world.beats).toEqual([[10_000, 'a1', 'b1'], [20_000, 'a1', 'b1'], [30_000, 'a1', 'b1']])
  expect(world.lost).toEqual([])
})

test('a lease that is dropped is renewed no more, and the last one takes the timer with it', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  world.hold('b')
  world.heartbeat.drop('a')
  await world.clock.advance(10_000)
  expect(world.beats).toEqual([[10_000, 'b1']])
  world.heartbeat.drop('b')
  expect(world.clock.pending()).toBe(0)
  await world.clock.advance(60_000)
  expect(world.beats).toHaveLength(1)
})

test('it begins again after a pause, counted from the new lease', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  await world.clock.advance(5_000)
  world.heartbeat.drop('a')
  await world.clock.advance(1_000)
  world.hold('b')
  await world.clock.advance(10_000)
  expect(world.beats).toEqual([[16_000, 'b1']])
})

test('a lease that belongs to another is told once as lost, and the others go on', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  world.hold('b')
  world.renew = async (leases) => ids(leases).filter((id) => id !== 'a')
  await world.clock.advance(30_000)
  expect(world.lost).toEqual([['a', 'lost']])
  expect(world.beats).toEqual([[10_000, 'a1', 'b1'], [20_000, 'b1'], [30_000, 'b1']])
})

test('a renewal that errs is repeated sooner, until a third of the lease is left; then the lease is told once as lost', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  world.renew = () => Promise.reject(new Error('The store is away.'))
  await world.clock.advance(60_000)
  expect(world.beats.map(([at]) => at)).toEqual([10_000, 12_500, 15_000, 17_500, 20_000])
  expect(world.lost).toEqual([['a', 'renewal_failed']])
  expect(world.clock.pending()).toBe(0)
})

test('a store that is back in time costs no lease', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  world.renew = () => Promise.reject(new Error('The store is away.'))
  await world.clock.advance(17_500)
  world.renew = async (leases) => ids(leases)
  await world.clock.advance(12_500)
  expect(world.beats.map(([at]) => at)).toEqual([10_000, 12_500, 15_000, 17_500, 20_000, 30_000])
  expect(world.lost).toEqual([])
})

test('a lease that was marked, or leased anew, while its renewal was under way is not told as lost', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  world.hold('b')
  const answer = makeGate()
  world.renew = () => answer.opened.then(() => [])
  await world.clock.advance(10_000)
  world.heartbeat.drop('a')
  world.heartbeat.hold({ deliveryId: 'b', epoch: 2 }, world.clock.now())
  answer.open()
  world.renew = async (leases) => ids(leases)
  await world.clock.advance(10_000)
  expect(world.lost).toEqual([])
  expect(world.beats.at(-1)).toEqual([20_000, 'b2'])
})

test('a lease that comes while a renewal is under way is renewed with the next', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  const answer = makeGate()
  world.renew = (leases) => answer.opened.then(() => ids(leases))
  await world.clock.advance(12_000)
  world.hold('b')
  answer.open()
  world.renew = async (leases) => ids(leases)
  await world.clock.advance(8_000)
  expect(world.beats).toEqual([[10_000, 'a1'], [20_000, 'a1', 'b1']])
})

test('renewals that take longer than their interval follow each other, and never overlap', async () => {
  const world = heartbeatWorld()
  world.hold('a')
  let open = 0
  let mostOpen = 0
  world.renew = (leases) =>
    new Promise((resolve) => {
      open += 1
      mostOpen = Math.max(mostOpen, open)
      world.clock.after(12_000, () => {
        open -= 1
        resolve(ids(leases))
      })
    })
  await world.clock.advance(60_000)
  expect(mostOpen).toBe(1)
  expect(world.beats.length).toBeGreaterThanOrEqual(4)
  expect(world.lost).toEqual([])
})

interface HeartbeatWorld {
  readonly heartbeat: Heartbeat
  readonly clock: ManualClock
  /** When, since the beginning, and the leases with their epochs. */
  readonly beats: [at: number, ...leases: string[]][]
  readonly lost: [deliveryId: string, code: string][]
  renew: (leases: readonly Lease[]) => Promise<string[]>
  hold(deliveryId: string): void
}

function heartbeatWorld(): HeartbeatWorld {
  const clock = manualClock(0)
  const beats: HeartbeatWorld['beats'] = []
  const lost: HeartbeatWorld['lost'] = []
  const heartbeat = makeHeartbeat({
    clock,
    leaseMs,
    renew: (leases) => {
      beats.push([clock.now(), ...leases.map(({ deliveryId, epoch }) => `${deliveryId}${epoch}`)])
      return world.renew(leases)
    },
    lost: (deliveryId, code) => lost.push([deliveryId, code]),
  })
  const world: HeartbeatWorld = {
    heartbeat,
    clock,
    beats,
    lost,
    renew: async (leases) => ids(leases),
    hold: (deliveryId) => heartbeat.hold({ deliveryId, epoch: 1 }, clock.now()),
  }
  return world
}

function ids(leases: readonly Lease[]): string[] {
  return leases.map(({ deliveryId }) => deliveryId)
}
