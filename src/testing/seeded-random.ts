import type { Random } from '../core/time.ts'

/** Repeatable random numbers: the same seed gives the same numbers on every machine, 53 bits each. */
export function seededRandom(seed: number): Random {
  const next = smallFastCounting(seed)
  return () => {
    const high = next() >>> 5
    const low = next() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }
}

/** Always the middle: jitter of ± any share becomes none. */
export const midpoint: Random = () => 0.5

/** The "small fast counting" generator: 128 bits of state, one of them a counter, so no seed has a short cycle. */
function smallFastCounting(seed: number): () => number {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // Neighbouring seeds start out similar: a few rounds separate them.
  for (let round = 0; round < 20; round += 1) next()
  return next
}
