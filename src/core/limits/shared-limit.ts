/**
 * How much more a holder may take: so much that it holds at most the given multiple of what is free afterwards. Whoever holds nothing may
 * take one while anything is free.
 */
export function shareOfFree(free: number, held: number, timesFree: number): number {
  if (held >= timesFree * free) return 0
  return Math.max(Math.floor((timesFree * free - held) / (timesFree + 1)), held === 0 ? 1 : 0)
}

/**
 * A limited resource of which nobody may hold more than is still free. A single holder gets half of it, and however many take
 * all they can, there is something left for the next.
 */
export class SharedLimit {
  readonly most: number
  readonly #held = new Map<string, number>()
  #free: number

  constructor(most: number) {
    this.most = most
    this.#free = most
  }

  /** Takes an amount for a holder, or nothing. Without a holder (null) only the free amount counts. */
  take(holder: string | null, amount = 1): boolean {
    const held = this.heldBy(holder)
    if (amount > (holder === null ? this.#free : shareOfFree(this.#free, held, 1))) return false
    this.#free -= amount
    if (holder !== null) this.#held.set(holder, held + amount)
    return true
  }

  release(holder: string | null, amount = 1): void {
    this.#free += amount
    if (holder === null) return
    const held = this.heldBy(holder) - amount
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
  }

  get free(): number {
    return this.#free
  }

  heldBy(holder: string | null): number {
    return holder === null ? 0 : (this.#held.get(holder) ?? 0)
  }
}
