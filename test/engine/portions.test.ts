import { expect, test } from 'vitest'
import { Portions } from '../../src/engine/claim/portions.ts'

test.each<[what: string, took: number[], size: number, restMs: number]>([
  ['grow to fifty while claims are quick, without a rest', [1, 2, 3, 3, 1, 1], 50, 0],
  ['keep their size, and rest twelve times as long, where the process has other work', [1, 6], 8, 72],
  ['shrink where it has much', [1, 1, 1, 1, 10], 25, 120],
  ['are never fewer than four', [30, 30, 30], 4, 360],
  ['rest for half a second at most: what took longer stood still', [60_000], 4, 500],
])('portions of endpoints that nothing has reached lately %s', (_what, took, size, restMs) => {
  const portions = new Portions()
  const rests = took.map((ms) => portions.took(ms))
  expect({ size: portions.size, restMs: rests.at(-1) }).toEqual({ size, restMs })
})
