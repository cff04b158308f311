/**
 * A bounded map: when it is full, it drops the least recently used entry.
 * Clearing the whole map instead would let one new entry evict everybody else's.
 */
export class Lru<Key, Value> {
  /** The most entries at once. */
  readonly most: number
  // A Map keeps insertion order, so the first key is the least recently used one.
  private readonly entries = new Map<Key, Value>()

  constructor(most: number) {
    if (!Number.isInteger(most) || most < 1)
      throw new RangeError(`Expected \`most\` to be a whole number from 1 on, got ${most}.`)
    this.most = most
  }

  get size(): number {
    return this.entries.size
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.entries.get(key)
    if (value === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > this.most) this.forgetOldest()
  }

  delete(key: Key): boolean {
    return this.entries.delete(key)
  }

  private forgetOldest(): void {
    for (const key of this.entries.keys()) {
      this.entries.delete(key)
      return
    }
  }
}
