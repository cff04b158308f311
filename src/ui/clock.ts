/** The browser's clock: nothing else in the dashboard reads time or sets a timer. */
export const browserClock = {
  now: (): number => Date.now(),
  /** Calls back once after the given time; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  /** Calls back repeatedly; returns a function that ends it. */
  every(ms: number, callback: () => void): () => void {
    const timer = setInterval(callback, ms)
    return () => clearInterval(timer)
  },
}
