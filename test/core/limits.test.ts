import { expect, test } from 'vitest'
import { checkCount, checkLimits } from '../../src/core/limits/limits.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { thrownBy } from './thrown.ts'

const ours = presets.standard.limits

test.each(Object.values(presets))('the limits of $name can be kept', ({ limits }) => {
  expect(() => checkLimits(limits)).not.toThrow()
})

test.each([
  ['pollMs', 9, 'from 10 to 600000'],
  ['pollMs', 600_001, 'from 10 to 600000'],
  ['retriesPerEndpoint', 0, 'from 1 to 100000'],
  ['retriesPerEndpoint', 100_001, 'from 1 to 100000'],
  ['retriesPerTick', 0, 'from 1 to 1000000'],
  ['retriesPerTick', 1_000_001, 'from 1 to 1000000'],
  ['pool', 0, 'from 1 to 1000'],
  ['pool', 1001, 'from 1 to 1000'],
  ['pool', Number.NaN, 'from 1 to 1000'],
  ['openRequests', 0, 'from 1 to 100000'],
  ['openRequests', 100_001, 'from 1 to 100000'],
  ['perCycle', 0, 'from 1 to 100000'],
  ['perCycle', 2.5, 'from 1 to 100000'],
])('a limit `%s` of %d is refused', (name, value, wanted) => {
  const error = thrownBy(() => checkLimits({ ...ours, [name]: value }))
  expect(error.code).toBe('invalid_argument')
  expect(error.message).toBe(`Expected \`${name}\` to be a whole number ${wanted}, got ${value}.`)
})

test.each(['5', null, undefined, 5n])('a count of %s is none', (value) => {
  expect(thrownBy(() => checkCount('most', value, 1, 10)).message).toContain(
    'Expected `most` to be a whole number from 1 to 10, got ',
  )
})
