import { randomFillSync } from 'node:crypto'
import type { Clock } from './core/ports/ports.ts'
import type { Instant, Random } from './core/time.ts'

/** The machine's clock and random numbers: nothing else in Posthorn reads either. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** For durations only: unrelated to the time of day. */
export const steadyMs = (): number => performance.now()

const mostDriftMs = 1_000
const believedAfterMs = 10_000
const anchorLastsMs = 1_000

/**
 * The machine's time, except for jumps that do not last: a clock that is set an hour ahead and back again must not make leases and
 * retries wait for an hour. A jump that lasts for ten seconds, as after the machine has slept, is accepted.
 */
export function steadyClock(steady: () => number = () => performance.now(), local: Clock = systemClock): Clock {
  let anchor = { wall: local.now(), at: steady() }
  let steppedAt: number | null = null
  let lastWall = anchor.wall
  let last = anchor.wall

  /** What time it is, judging by the machine's clock and by how much time has passed. */
  function judged(wall: Instant, at: number): Instant {
    const estimate = Math.floor(anchor.wall + at - anchor.at)
    const isBelieved =
      Math.abs(wall - estimate) <= mostDriftMs || (steppedAt !== null && at - steppedAt >= believedAfterMs)
    if (!isBelieved) {
      steppedAt ??= at
      return estimate
    }
    // Not with every reading: this is the hot path, and an anchor is an object.
    if (steppedAt !== null || at - anchor.at >= anchorLastsMs) anchor = { wall, at }
    steppedAt = null
    return wall
  }

  return {
    now() {
      const wall = local.now()
      // Under load there are many readings within one millisecond.
      if (wall === lastWall && steppedAt === null) return last
      lastWall = wall
      const now = judged(wall, steady())
      // A clock that is corrected slightly stands still until time has caught up.
      if (now > last || last - now > mostDriftMs) last = now
      return last
    },
    after: (ms, callback) => local.after(ms, callback),
  }
}

/** A clock that follows a shared time; until that is first read, it is this machine's own. */
export interface FollowingClock extends Clock {
  /** False until the shared time was read for the first time. */
  readonly isFollowing: boolean
  /** Accepts a shared time that was just read. */
  follow(shared: Instant): void
  /** Reads the shared time. From then on it is read again whenever the last reading is too old. */
  measure(): Promise<void>
}

const readingLastsMs = 30_000
const mostJitterMs = 1_000
const mostReadings = 5

/**
 * The shared time at the end of the last reading plus what has passed since on a monotonic clock: never ahead of the shared time,
 * so a worker with a wrong clock neither sends early nor takes a live lease.
 */
export function followingClock(
  read: () => Promise<Instant>,
  steady: () => number = () => performance.now(),
  local: Clock = systemClock,
): FollowingClock {
  let reading: { readonly shared: Instant; readonly at: number } | null = null
  let measuring = false
  let latest = 0

  function follow(shared: Instant): void {
    reading = { shared, at: steady() }
  }

  async function measure(): Promise<void> {
    measuring = true
    try {
      for (let tries = 1; ; tries += 1) {
        const askedAt = steady()
        const shared = await read()
        // A reading that took long, or reached a process that was asleep, is outdated: by it, leases would expire as they begin.
        if (steady() - askedAt <= mostJitterMs || (tries === mostReadings && reading === null)) return follow(shared)
        if (tries === mostReadings) return
      }
    } finally {
      measuring = false
    }
  }

  return {
    now() {
      if (reading === null) return local.now()
      const passedMs = steady() - reading.at
      // Not with a timer, which would keep alive a process that only sends. If a reading fails, the next one makes up for it.
      if (passedMs > readingLastsMs && !measuring) measure().catch(() => undefined)
      const estimate = Math.floor(reading.shared + passedMs)
      // A slow reading must not turn time back; a shared clock that was set back is followed.
      if (estimate > latest || latest - estimate > mostJitterMs) latest = estimate
      return latest
    },
    after: (ms, callback) => local.after(ms, callback),
    measure,
    follow,
    get isFollowing() {
      return reading !== null
    },
  }
}

const pool = new Uint32Array(1024)
let used = pool.length

/** 53 bits from the system's generator, good enough for ids; drawn in bulk, because single calls are slow. */
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
