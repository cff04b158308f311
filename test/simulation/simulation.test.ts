import { expect, test } from 'vitest'
import { isFast } from '../postgres.ts'
import { judgePair } from './pairs.ts'
import { scenarioOf } from './plan.ts'
import { runScenario } from './run.ts'

const seeds = isFast ? 20 : 500
// Few to a test, so that each is done long before its time is up.
const seedsPerTest = 5

test.each(Array.from({ length: seeds / seedsPerTest }, (_, index) => 1 + index * seedsPerTest))(
  'no promise is broken in the worlds of five seeds from %i on',
  async (from) => {
    for (let seed = from; seed < from + seedsPerTest; seed += 1) {
      const { violations } = await runScenario(scenarioOf(seed))
      expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([])
    }
  },
)

test('a tenant in order is not slowed down by others in trouble', async () => {
  for (let seed = 10; seed <= seeds; seed += 10) expect(await judgePair(scenarioOf(seed)), `seed ${seed}`).toEqual([])
})

test('the same seed is the same world, event by event, and another seed is another', async () => {
  const first = await runScenario(scenarioOf(7))
  const again = await runScenario(scenarioOf(7))
  const other = await runScenario(scenarioOf(8))
  expect(again.traceHash).toBe(first.traceHash)
  expect(again.events).toBe(first.events)
  expect(other.traceHash).not.toBe(first.traceHash)
})

test('a scenario survives being written down', async () => {
  const scenario = scenarioOf(11)
  const kept = JSON.parse(JSON.stringify(scenario)) as typeof scenario
  expect((await runScenario(kept)).traceHash).toBe((await runScenario(scenario)).traceHash)
})

test('a tenth of the worlds last for two hours or more, and the shipped settings are the most frequent', () => {
  const drawn = Array.from({ length: 1_000 }, (_, index) => scenarioOf(index + 1))
  const long = drawn.filter(({ lengthMs }) => lengthMs >= 2 * 3_600_000)
  expect(long.length).toBeGreaterThan(70)
  const shipped = drawn.filter(({ settings }) => JSON.stringify(settings) === '{"preset":"standard"}')
  expect(shipped.length).toBeGreaterThan(400)
  // Only where time is shared may there be several who deliver.
  const alone = drawn.filter(({ store }) => store.kind === 'single')
  expect(Math.max(...alone.map(({ processes }) => processes.length))).toBe(1)
})
