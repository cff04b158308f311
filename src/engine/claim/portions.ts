const least = 4
const most = 50
const quickMs = 4
const slowMs = 8
const restsPerPortion = 12
const mostRestMs = 500

/**
 * How many endpoints without a recent success are asked at once. Each may be a connection that fails or never answers, so they are claimed
 * in portions, and between two of them the process handles other work. A slow portion means that there is a lot of other work:
 * the next one is smaller, and starts after a rest twelve times as long as the portion took, at most half a second. A portion's failing
 * connections and marks cost more than its claim: with rests of the same length, ten thousand dead endpoints starved a healthy one.
 */
export class Portions {
  #size = least

  get size(): number {
    return this.#size
  }

  /** Records how long a portion took, and returns how long to rest. */
  took(ms: number): number {
    if (ms < quickMs) this.#size = Math.min(this.#size * 2, most)
    if (ms > slowMs) this.#size = Math.max(Math.floor(this.#size / 2), least)
    // Capped: if a portion takes longer than that, the store or the process has stalled, and resting in proportion helps nobody.
    return ms < quickMs ? 0 : Math.min(restsPerPortion * ms, mostRestMs)
  }
}
