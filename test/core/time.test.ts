import { expect, test } from 'vitest'
import { day, hour, isoTime, minute, second } from '../../src/core/time.ts'

test('units are milliseconds', () => {
  expect([second, minute, hour, day]).toEqual([1000, 60_000, 3_600_000, 86_400_000])
})

test.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
])('%d is written as %s', (at, text) => {
  expect(isoTime(at)).toBe(text)
})
