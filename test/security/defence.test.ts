import { expect, test } from 'vitest'
import { outcomesOf } from './defence.ts'
import { defencesLine } from './defences-setup.ts'

test.each([
  ['an attack that succeeds in spite of the defence', true, { succeedsWhenOn: true, succeedsWhenOff: true }],
  ['an attack that never succeeds, which shows nothing', false, { succeedsWhenOn: false, succeedsWhenOff: false }],
])('%s is told apart from one that the defence stops', async (_what, succeeds, outcomes) => {
  expect(await outcomesOf(async () => succeeds)).toEqual(outcomes)
})

test.each([
  [[], null],
  [[true, true], 'defences 2, each seen to fail when off'],
  [[true, false], 'defences 2, 1 not seen to hold when on and to fail when off'],
])('of tests that passed or not, %j, the run says %j', (passed, line) => {
  expect(defencesLine(passed)).toBe(line)
})
