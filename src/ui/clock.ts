/** The browser's clock: nothing else in the dashboard reads time or sets a timer. */
export const browserClock = {
  now: (): number => Date.now(),
  /** Calls back once after the given time, and returns how to prevent that. */
  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  /** Calls back again and again, and returns how to end that. */
  every(ms: number, callback: () => void): () => void {
    const timer = setInterval(callback, ms)
    return () => clearInterval(timer)
  },
}
