import { randomFillSync } from 'node:crypto'
import type { Clock } from './core/ports.ts'
import type { Random } from './core/time.ts'

/** The machine's clock and chance: nothing else in Posthorn reads time or rolls dice. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

const pool = new Uint32Array(1024)
let used = pool.length

/** 53 bits from the system's generator, fit for ids; filled in bulk, because one call each is slow. */
export const systemRandom: Random = () => {
  if (used >= pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const high = (pool[used] ?? 0) >>> 5
  const low = (pool[used + 1] ?? 0) >>> 6
  used += 2
  return (high * 2 ** 26 + low) / 2 ** 53
}
