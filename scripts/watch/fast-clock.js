/** Time that runs so many times as fast as that of the machine, and can be moved on: five minutes of it pass while one waits. */
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
