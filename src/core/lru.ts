/** An entry in the list of use, between the one used before it and the one used after it. */
interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  older: Entry<Key, Value> | null
  newer: Entry<Key, Value> | null
}

/**
 * A bounded map: when it is full, it drops the least recently used entry.
 * Clearing the whole map instead would let one new entry evict everybody else's.
 */
export class Lru<Key, Value> {
  /** The most entries at once. */
  readonly most: number
  private readonly entries = new Map<Key, Entry<Key, Value>>()
  // Deleting and reinserting a key would keep the order of use in the Map itself, but makes it rehash again and again: with ten
  // thousand entries that took a twelfth of a busy process's time. A linked list costs four assignments.
  private oldest: Entry<Key, Value> | null = null
  private newest: Entry<Key, Value> | null = null

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
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.use(entry)
    return entry.value
  }

  set(key: Key, value: Value): void {
    const known = this.entries.get(key)
    if (known !== undefined) {
      known.value = value
      this.use(known)
      return
    }
    const entry: Entry<Key, Value> = { key, value, older: null, newer: null }
    this.entries.set(key, entry)
    this.append(entry)
    if (this.entries.size > this.most && this.oldest !== null) this.delete(this.oldest.key)
  }

  delete(key: Key): boolean {
    const entry = this.entries.get(key)
    if (entry === undefined) return false
    this.unlink(entry)
    return this.entries.delete(key)
  }

  private use(entry: Entry<Key, Value>): void {
    if (entry === this.newest) return
    this.unlink(entry)
    this.append(entry)
  }

  private append(entry: Entry<Key, Value>): void {
    entry.older = this.newest
    entry.newer = null
    if (this.newest === null) this.oldest = entry
    else this.newest.newer = entry
    this.newest = entry
  }

  private unlink({ older, newer }: Entry<Key, Value>): void {
    if (older === null) this.oldest = newer
    else older.newer = newer
    if (newer === null) this.newest = older
    else newer.older = older
  }
}
