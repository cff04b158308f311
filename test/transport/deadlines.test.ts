import { expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { Deadlines, makeTimed } from '../../src/transport/deadlines.ts'

test.each([0, 1, 49, 50, 51, 999, 30_000, 51_200, 51_250, 200_000])(
  'a deadline of %i ms is kept to within a tick',
  async (ms) => {
    const clock = manualClock()
    const deadlines = new Deadlines(clock)
    const started = clock.now()
    let endedAfter = -1
    deadlines.add(
      makeTimed(() => (endedAfter = clock.now() - started)),
      ms,
    )
    await clock.advance(Math.max(ms - 1, 0))
    expect(endedAfter).toBe(-1)
    await clock.advance(51)
    expect(endedAfter).toBeGreaterThanOrEqual(ms)
    expect(endedAfter).toBeLessThanOrEqual(ms + 50)
    expect(clock.pending()).toBe(0)
  },
)

test('there is one timer for all, and none when there is nothing to time', async () => {
  const clock = manualClock()
  const deadlines = new Deadlines(clock)
  const expired: number[] = []
  const all = Array.from({ length: 100 }, (_, index) => makeTimed(() => expired.push(index)))
  for (const [index, timed] of all.entries()) deadlines.add(timed, 100 + index * 10)
  expect(clock.pending()).toBe(1)
  await clock.advance(250)
  expect(expired).toEqual(Array.from({ length: 16 }, (_, index) => index))
  for (const timed of all) deadlines.remove(timed)
  for (const timed of all) deadlines.remove(timed)
  expect(clock.pending()).toBe(0)
  await clock.advance(10_000)
  expect(expired).toHaveLength(16)
})

test('one that is removed by another of the same tick does not expire', async () => {
  const clock = manualClock()
  const deadlines = new Deadlines(clock)
  const expired: string[] = []
  const second = makeTimed(() => expired.push('second'))
  deadlines.add(
    makeTimed(() => (expired.push('first'), deadlines.remove(second))),
    100,
  )
  deadlines.add(second, 100)
  await clock.advance(200)
  expect(expired).toEqual(['first'])
  expect(clock.pending()).toBe(0)
})

test('what is added while others expire is timed as well', async () => {
  const clock = manualClock()
  const deadlines = new Deadlines(clock)
  const expired: string[] = []
  deadlines.add(
    makeTimed(() =>
      deadlines.add(
        makeTimed(() => expired.push('later')),
        100,
      ),
    ),
    100,
  )
  await clock.advance(150)
  expect(expired).toEqual([])
  await clock.advance(100)
  expect(expired).toEqual(['later'])
})

test.each([
  ['back by an hour', -3_600_000],
  ['forward by an hour', 3_600_000],
])('a wall clock that is set %s neither ends a deadline nor keeps it open', async (_what, jump) => {
  const clock = manualClock()
  let offset = 0
  const deadlines = new Deadlines({
    now: () => clock.now() + offset,
    after: (ms, callback) => clock.after(ms, callback),
  })
  let isExpired = false
  deadlines.add(
    makeTimed(() => (isExpired = true)),
    10_000,
  )
  await clock.advance(5_000)
  offset = jump
  await clock.advance(4_900)
  expect(isExpired).toBe(false)
  await clock.advance(200)
  expect(isExpired).toBe(true)
})

test.each([
  ['is brought forward', 10_000, 1_000, 1_000],
  ['that is nearer stays', 500, 1_000, 500],
  ['of the same tick stays', 1_000, 1_000, 1_000],
  ['may be brought forward to now', 10_000, 0, 0],
])('a deadline %s', async (_what, ms, shortenedMs, expected) => {
  const clock = manualClock()
  const deadlines = new Deadlines(clock)
  const started = clock.now()
  let endedAfter = -1
  const timed = makeTimed(() => (endedAfter = clock.now() - started))
  deadlines.add(timed, ms)
  deadlines.shorten(timed, shortenedMs)
  await clock.advance(expected + 50)
  expect(endedAfter).toBeGreaterThanOrEqual(expected)
  expect(endedAfter).toBeLessThanOrEqual(expected + 50)
  expect(clock.pending()).toBe(0)
})

test('what has no deadline gets none by shortening it', () => {
  const clock = manualClock()
  new Deadlines(clock).shorten(
    makeTimed(() => undefined),
    100,
  )
  expect(clock.pending()).toBe(0)
})
