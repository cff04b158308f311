const leastPlaces = 4

/**
 * The places in one statement, by tenant: each may take half as many as wait for all others, and at least four. A tenant that floods the
 * queue waits for its own flood; a tenant with little to store hardly notices. A tenant alone gets all places.
 */
export class TenantPlaces {
  readonly #waiting = new Map<string, number>()
  readonly #taken = new Map<string, number>()
  readonly #total: number

  constructor(tenants: readonly string[]) {
    this.#total = tenants.length
    for (const tenant of tenants) this.#waiting.set(tenant, (this.#waiting.get(tenant) ?? 0) + 1)
  }

  /** False if the tenant has used up its places. */
  take(tenant: string): boolean {
    const others = this.#total - (this.#waiting.get(tenant) ?? 0)
    const taken = this.#taken.get(tenant) ?? 0
    if (others > 0 && taken >= Math.max(Math.floor(others / 2), leastPlaces)) return false
    this.#taken.set(tenant, taken + 1)
    return true
  }
}
