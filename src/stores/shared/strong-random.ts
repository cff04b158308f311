import { randomFillSync } from 'node:crypto'
import type { Random } from '../../core/time.ts'

const word = new BigUint64Array(1)

/** Randomness for the ids that a store generates itself: two processes must not generate the same one. */
export const strongRandom: Random = () => Number((randomFillSync(word)[0] ?? 0n) >> 11n) / 2 ** 53
