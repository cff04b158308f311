const leastPlaces = 4
const mostCatchUpPlaces = 128
const reservePlaces = 4_000

/**
 * The places in one statement, by tenant: each may take half as many as wait for all others, and at least four. A tenant that floods the
 * queue waits for its own flood; a tenant with little to store hardly notices. A tenant alone gets all places.
 *
 * A tenant that has fallen behind looks like a flood, too. With half as many places as a real flood has requests waiting, it would stay
 * behind for ever. So each tenant has a reserve of places for catching up, which a flood has soon used up: it is refilled slowly, and only
 * while nothing of its tenant waits.
 */
export class TenantPlaces {
  readonly #waiting = new Map<string, number>()
  readonly #taken = new Map<string, number>()
  /** How many places are missing from reserves that are not full. */
  readonly #used = new Map<string, number>()
  #total = 0

  /** A request of the tenant waits for a place. */
  add(tenant: string): void {
    this.#waiting.set(tenant, (this.#waiting.get(tenant) ?? 0) + 1)
    this.#total += 1
  }

  /** False if the tenant has used up its places in this statement. */
  take(tenant: string): boolean {
    const others = this.#total - (this.#waiting.get(tenant) ?? 0)
    const taken = this.#taken.get(tenant) ?? 0
    const isWithin = others === 0 || taken < Math.max(Math.floor(others / 2), leastPlaces)
    if (!isWithin && (taken >= mostCatchUpPlaces || !this.#useReserve(tenant))) return false
    this.#taken.set(tenant, taken + 1)
    return true
  }

  /** The statement is complete: requests that have a place in it no longer wait. */
  next(): void {
    for (const [tenant, taken] of this.#taken) {
      const left = (this.#waiting.get(tenant) ?? 0) - taken
      if (left > 0) this.#waiting.set(tenant, left)
      else this.#waiting.delete(tenant)
      this.#total -= taken
    }
    this.#taken.clear()
    for (const [tenant, used] of this.#used) {
      if (this.#waiting.has(tenant)) continue
      if (used > 1) this.#used.set(tenant, used - 1)
      else this.#used.delete(tenant)
    }
  }

  #useReserve(tenant: string): boolean {
    const used = this.#used.get(tenant) ?? 0
    if (used >= reservePlaces) return false
    this.#used.set(tenant, used + 1)
    return true
  }
}
