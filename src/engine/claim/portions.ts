const least = 4
const most = 50
const quickMs = 4
const slowMs = 8
const restsPerPortion = 3
const mostRestMs = 500

/**
 * How many endpoints that nothing has reached lately are asked at once. Each may be a connection that fails or never answers, so they come
 * in portions, and between two of them the process turns to what others have sent. One that takes long says that there is much of that:
 * the next is smaller, and follows after a rest three times as long as it took, up to half a second. What comes of a portion, connections
 * that fail and marks, costs more than its claim: with rests of the same length, ten thousand dead endpoints left too little to one in order.
 */
export class Portions {
  #size = least

  get size(): number {
    return this.#size
  }

  /** Learns how long a portion took; answers with the rest that follows. */
  took(ms: number): number {
    if (ms < quickMs) this.#size = Math.min(this.#size * 2, most)
    if (ms > slowMs) this.#size = Math.max(Math.floor(this.#size / 2), least)
    // What took longer was a store, or a process, that stood still: nobody gains by waiting for as long again.
    return ms < quickMs ? 0 : Math.min(restsPerPortion * ms, mostRestMs)
  }
}
