/** A clock that runs faster than the machine's by a factor, and can be moved forward: five minutes pass while a test waits. */
export function fastClock(speed) {
  const startedAt = Date.now()
  let skippedMs = 0
  return {
    now: () => Math.floor(startedAt + skippedMs + (Date.now() - startedAt) * speed),
    after(ms, callback) {
      const timer = setTimeout(() => callback(), ms / speed)
      return () => clearTimeout(timer)
    },
    skip(ms) {
      skippedMs += ms
    },
  }
}
