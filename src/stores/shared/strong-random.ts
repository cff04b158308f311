import { randomFillSync } from 'node:crypto'
import type { Random } from '../../core/time.ts'

const word = new BigUint64Array(1)

/** Chance for the ids that a store gives by itself: two processes must not make the same. */
export const strongRandom: Random = () => Number((randomFillSync(word)[0] ?? 0n) >> 11n) / 2 ** 53
