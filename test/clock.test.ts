import { expect, test } from 'vitest'
import { followingClock } from '../src/clock.ts'
import type { FollowingClock } from '../src/clock.ts'
import { manualClock } from '../src/testing/manual-clock.ts'

const hour = 3_600_000

test("before the first reading it is the machine's own", () => {
  const { clock, local } = world()
  expect(clock.now()).toBe(local.now())
})

test('a machine whose clock is an hour off goes by the shared time, and by what passes since', async () => {
  const { clock, shared, pass } = world()
  await clock.measure()
  expect(clock.now()).toBe(shared.at)
  pass(250.9)
  expect(clock.now()).toBe(shared.at + 250)
})

test('the time that a reading takes is never added: it is behind the shared time, not ahead of it', async () => {
  const { clock, shared, pass } = world()
  shared.readingTakesMs = 400
  await clock.measure()
  const asked = shared.at
  expect(clock.now()).toBe(asked)
  pass(100)
  expect(clock.now()).toBe(asked + 100)
})

test('it is read again when somebody asks after half a minute, once, and not before', async () => {
  const { clock, shared, pass } = world()
  await clock.measure()
  pass(30_000)
  clock.now()
  expect(shared.readings).toBe(1)
  pass(1)
  clock.now()
  clock.now()
  expect(shared.readings).toBe(2)
})

test('a reading that was a little slower does not turn time back', async () => {
  const { clock, shared, pass } = world()
  await clock.measure()
  pass(1_000)
  const before = clock.now()
  shared.at = before - 300
  await clock.measure()
  expect(clock.now()).toBe(before)
  pass(300)
  expect(clock.now()).toBe(before)
  pass(1)
  expect(clock.now()).toBe(before + 1)
})

test('a shared clock that was set back is followed', async () => {
  const { clock, shared } = world()
  await clock.measure()
  clock.now()
  shared.at -= hour
  await clock.measure()
  expect(clock.now()).toBe(shared.at)
})

test('a reading that fails leaves the last one in force; a first one that fails is told', async () => {
  const { clock, shared, pass } = world()
  shared.fails = true
  await expect(clock.measure()).rejects.toThrow('away')
  shared.fails = false
  await clock.measure()
  const first = clock.now()
  shared.fails = true
  pass(30_001)
  expect(clock.now()).toBe(first + 30_001)
  expect(shared.readings).toBe(3)
})

function world() {
  const local = manualClock()
  const shared = { at: local.now() - hour, readingTakesMs: 0, fails: false, readings: 0 }
  let steadyMs = 5
  const clock: FollowingClock = followingClock(
    async () => {
      shared.readings += 1
      if (shared.fails) throw new Error('away')
      steadyMs += shared.readingTakesMs
      return shared.at
    },
    () => steadyMs,
    local,
  )
  return {
    clock,
    local,
    shared,
    pass(ms: number) {
      steadyMs += ms
    },
  }
}
