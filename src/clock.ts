import { randomFillSync } from 'node:crypto'
import type { Clock } from './core/ports.ts'
import type { Instant, Random } from './core/time.ts'

/** The machine's clock and chance: nothing else in Posthorn reads time or rolls dice. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** A clock that follows a time shared with others; until it is first read, this machine's own. */
export interface FollowingClock extends Clock {
  /** Reads the shared time. From then on it is read again by itself, when somebody asks for a time that was read too long ago. */
  measure(): Promise<void>
}

const readingLastsMs = 30_000
const mostJitterMs = 1_000

/**
 * The shared time at the end of the last reading and what has passed since by a clock that nobody sets: never ahead of the shared time,
 * so a worker whose own clock is wrong neither sends early nor takes a lease that still lives.
 */
export function followingClock(read: () => Promise<Instant>, steady: () => number = () => performance.now(), local: Clock = systemClock): FollowingClock {
  let reading: { readonly shared: Instant; readonly at: number } | null = null
  let measuring = false
  let told = 0

  async function measure(): Promise<void> {
    measuring = true
    try {
      const shared = await read()
      reading = { shared, at: steady() }
    } finally {
      measuring = false
    }
  }

  return {
    now() {
      if (reading === null) return local.now()
      const passedMs = steady() - reading.at
      // Not by a timer, which would keep a process alive that only sends. A reading that fails is made up for by the next.
      if (passedMs > readingLastsMs && !measuring) measure().catch(() => undefined)
      const estimate = Math.floor(reading.shared + passedMs)
      // A reading that was a little slow must not turn time back; a shared clock that was set back is followed.
      if (estimate > told || told - estimate > mostJitterMs) told = estimate
      return told
    },
    after: (ms, callback) => local.after(ms, callback),
    ...(local.turn === undefined ? {} : { turn: local.turn }),
    measure,
  }
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
