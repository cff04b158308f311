import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dealTokens, fullBucket, nextTokenMs, takeTokens } from '../../src/core/limits/rate-limit.ts'
import type { TokenBucket } from '../../src/core/limits/rate-limit.ts'
import { hour, second } from '../../src/core/time.ts'

const now = 1_700_000_000_000
const empty: TokenBucket = { tokens: 0, at: now }

describe('takeTokens', () => {
  test('a bucket that was never used holds one second of tokens', () => {
    expect(takeTokens(fullBucket, 10, 100, now)).toEqual({ taken: 10, bucket: empty })
  })

  test('refills steadily and keeps fractions', () => {
    const after150 = takeTokens(empty, 10, 100, now + 150)
    expect(after150.taken).toBe(1)
    expect(after150.bucket.tokens).toBeCloseTo(0.5)
    expect(takeTokens(after150.bucket, 10, 100, now + 200).taken).toBe(1)
  })

  test('takes no more than is wanted, and leaves the rest', () => {
    expect(takeTokens({ tokens: 8, at: now }, 10, 3, now)).toEqual({ taken: 3, bucket: { tokens: 5, at: now } })
  })

  test('holds one second of tokens at most, also after more were given back', () => {
    expect(takeTokens({ tokens: 30, at: now }, 10, 100, now).taken).toBe(10)
  })

  test('never takes more in any ten seconds than 1.1 times the rate: ten seconds and one second of burst', () => {
    const step = fc.record({ laterMs: fc.nat({ max: 3000 }), most: fc.nat({ max: 200 }) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 100 }), (rate, steps) => {
        let [bucket, at] = [fullBucket, now]
        const takes: { at: number; taken: number }[] = []
        for (const { laterMs, most } of steps) {
          at += laterMs
          const result = takeTokens(bucket, rate, most, at)
          takes.push({ at, taken: result.taken })
          bucket = result.bucket
          expect(result.taken).toBeLessThanOrEqual(most)
          expect(bucket.tokens).toBeGreaterThanOrEqual(0)
        }
        for (const from of takes) {
          const inTenSeconds = takes.filter((take) => take.at >= from.at && take.at < from.at + 10 * second)
          expect(inTenSeconds.reduce((sum, { taken }) => sum + taken, 0)).toBeLessThanOrEqual(11 * rate)
        }
      }),
    )
  })

  test('two workers whose clocks differ a little do not earn the same moment twice', () => {
    let bucket = empty
    let total = 0
    for (let turn = 0; turn < 100; turn += 1) {
      const result = takeTokens(bucket, 10, 100, turn % 2 === 0 ? now : now - 400)
      total += result.taken
      bucket = result.bucket
    }
    expect(total).toBe(0)
  })

  test('a clock that was set far back starts the bucket anew instead of closing it', () => {
    const { taken, bucket } = takeTokens(empty, 10, 100, now - hour)
    expect(taken).toBe(0)
    expect(takeTokens(bucket, 10, 100, now - hour + second).taken).toBe(10)
  })
})

test.each([
  [1, 1_000],
  [3, 334],
  [10, 100],
  [100_000, 1],
])('at %i a second the next token is there after %i ms', (perSecond, ms) => {
  expect(nextTokenMs(perSecond)).toBe(ms)
  expect(takeTokens(empty, perSecond, 1, now + ms).taken).toBe(1)
})

describe('tokens are dealt', () => {
  test('to each of those who share a limit alike, whoever asks first', () => {
    expect(deal({ app: 7 }, [['app'], 5], [['app'], 5], [['app'], 5])).toEqual([[3, 2, 2], { app: 0 }])
  })

  test('to nobody more than it can use, and what is left is told', () => {
    expect(deal({ app: 9, one: 4 }, [['app'], 1], [['app'], 3], [['one'], 3])).toEqual([[1, 3, 3], { app: 5, one: 1 }])
  })

  test('from all limits that somebody is under, or from none', () => {
    expect(deal({ app: 6, one: 1, two: 9 }, [['one', 'app'], 5], [['two', 'app'], 4], [['none', 'app'], 5])).toEqual([
      [1, 4, 0],
      { app: 1, one: 0, two: 5 },
    ])
  })
})

function deal(tokens: Record<string, number>, ...takers: [string[], number][]): unknown {
  const { dealt, left } = dealTokens(
    new Map(Object.entries(tokens)),
    takers.map(([limitIds, most]) => ({ limitIds, most })),
  )
  return [dealt, Object.fromEntries(left)]
}
