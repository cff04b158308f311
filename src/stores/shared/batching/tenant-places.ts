const leastPlaces = 4
const mostCounted = 100
// Also of a tenant that is alone, and has all places.
const mostSaved = 100
const mostCatchUpPlaces = 128
const reservePlaces = 4_000

/**
 * The places in one statement, by tenant: each may take half as many as wait for all others, and at least four. A tenant that floods the
 * queue waits for its own flood; a tenant with little to store hardly notices. A tenant alone gets all places.
 *
 * A tenant that has fallen behind looks like a flood, too. With half as many places as a real flood has requests waiting, it would stay
 * behind for ever. So what it leaves of its places is saved up for it, and helps it to catch up; a flood leaves nothing. Nor does a flood
 * gain by the backlog of others: of each tenant only the first hundred count.
 */
export class TenantPlaces {
  readonly #waiting = new Map<string, number>()
  readonly #taken = new Map<string, number>()
  /** How many places are missing from reserves that are not full. */
  readonly #used = new Map<string, number>()
  /** Of all tenants, those that count. */
  #counted = 0

  /** A request of the tenant waits for a place. */
  add(tenant: string): void {
    this.#setWaiting(tenant, this.#waitingOf(tenant) + 1)
  }

  /** False if the tenant has used up its places in this statement. */
  take(tenant: string): boolean {
    const taken = this.#taken.get(tenant) ?? 0
    if (taken >= this.#placesOf(tenant) && (taken >= mostCatchUpPlaces || !this.#useReserve(tenant))) return false
    this.#taken.set(tenant, taken + 1)
    return true
  }

  /** The statement is complete: requests that have a place in it no longer wait. */
  next(): void {
    for (const [tenant, used] of this.#used) {
      const left = Math.min(this.#placesOf(tenant), mostSaved) - (this.#taken.get(tenant) ?? 0)
      if (left >= used) this.#used.delete(tenant)
      else if (left > 0) this.#used.set(tenant, used - left)
    }
    for (const [tenant, taken] of this.#taken) this.#setWaiting(tenant, this.#waitingOf(tenant) - taken)
    this.#taken.clear()
  }

  /** How many places the tenant has in this statement, without its reserve. */
  #placesOf(tenant: string): number {
    const others = this.#counted - countedOf(this.#waitingOf(tenant))
    return others === 0 ? Number.POSITIVE_INFINITY : Math.max(Math.floor(others / 2), leastPlaces)
  }

  #waitingOf(tenant: string): number {
    return this.#waiting.get(tenant) ?? 0
  }

  #setWaiting(tenant: string, waiting: number): void {
    this.#counted += countedOf(waiting) - countedOf(this.#waitingOf(tenant))
    if (waiting > 0) this.#waiting.set(tenant, waiting)
    else this.#waiting.delete(tenant)
  }

  #useReserve(tenant: string): boolean {
    const used = this.#used.get(tenant) ?? 0
    if (used >= reservePlaces) return false
    this.#used.set(tenant, used + 1)
    return true
  }
}

function countedOf(waiting: number): number {
  return Math.min(waiting, mostCounted)
}
