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

/** For durations only: it has nothing to do with the time of day. */
export const steadyMs = (): number => performance.now()

const mostDriftMs = 1_000
const believedAfterMs = 10_000

/**
 * The machine's time, but for steps that do not last: a clock that is set an hour ahead and back again must not let leases and retries
 * wait for an hour. A step that stays for ten seconds, as after a sleep of the machine, is believed.
 */
export function steadyClock(steady: () => number = () => performance.now(), local: Clock = systemClock): Clock {
  let anchor = { wall: local.now(), at: steady() }
  let steppedAt: number | null = null
  let last = anchor.wall

  function follow(wall: Instant, at: number): void {
    anchor = { wall, at }
    steppedAt = null
  }

  return {
    now() {
      const at = steady()
      const wall = local.now()
      const estimate = Math.floor(anchor.wall + at - anchor.at)
      if (Math.abs(wall - estimate) <= mostDriftMs) follow(wall, at)
      else if (steppedAt === null) steppedAt = at
      else if (at - steppedAt >= believedAfterMs) follow(wall, at)
      const now = steppedAt === null ? anchor.wall : estimate
      // A clock that is corrected by a little stands still until it has caught up.
      if (now > last || last - now > mostDriftMs) last = now
      return last
    },
    after: (ms, callback) => local.after(ms, callback),
  }
}

/** A clock that follows a time shared with others; until it is first read, this machine's own. */
export interface FollowingClock extends Clock {
  /** False until the shared time was first read. */
  readonly isFollowing: boolean
  /** Takes over the shared time that somebody has just read. */
  follow(shared: Instant): void
  /** Reads the shared time. From then on it is read again by itself, when somebody asks for a time that was read too long ago. */
  measure(): Promise<void>
}

const readingLastsMs = 30_000
const mostJitterMs = 1_000
const mostReadings = 5

/**
 * The shared time at the end of the last reading and what has passed since by a clock that nobody sets: never ahead of the shared time,
 * so a worker whose own clock is wrong neither sends early nor takes a lease that still lives.
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
        // An answer that was long on its way, or met a process that slept, is of the past: by it, leases would be over as they begin.
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
      // Not by a timer, which would keep a process alive that only sends. If a reading fails, the next one makes up for it.
      if (passedMs > readingLastsMs && !measuring) measure().catch(() => undefined)
      const estimate = Math.floor(reading.shared + passedMs)
      // A reading that was a little slow must not turn time back; a shared clock that was set back is followed.
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
