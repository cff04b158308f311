const longestChunk = 256

/** A sorted list. Adding and removing touch one short chunk, so a million items are no problem. */
export class SortedList<Item> implements Iterable<Item> {
  readonly #compare: (left: Item, right: Item) => number
  /** Each chunk is sorted, none is empty, and every item of a chunk comes before those of the next. */
  readonly #chunks: Item[][] = []
  #size = 0

  constructor(compare: (left: Item, right: Item) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#size
  }

  add(item: Item): void {
    this.#size += 1
    const index = Math.min(this.#chunkIndex(item), Math.max(this.#chunks.length - 1, 0))
    const chunk = this.#chunks[index]
    if (chunk === undefined) return void this.#chunks.push([item])
    chunk.splice(this.#placeIn(chunk, item), 0, item)
    if (chunk.length > longestChunk) this.#chunks.splice(index + 1, 0, chunk.splice(longestChunk / 2))
  }

  /** Removes the item that compares equal; false if there is none. */
  remove(item: Item): boolean {
    const index = this.#chunkIndex(item)
    const chunk = this.#chunks[index]
    if (chunk === undefined) return false
    const place = this.#placeIn(chunk, item)
    const found = chunk[place]
    if (found === undefined || this.#compare(found, item) !== 0) return false
    chunk.splice(place, 1)
    if (chunk.length === 0) this.#chunks.splice(index, 1)
    this.#size -= 1
    return true
  }

  first(): Item | undefined {
    return this.#chunks[0]?.[0]
  }

  /** The items after the given one, in order; it need not be in the list. */
  *after(item: Item): Iterable<Item> {
    for (let index = this.#chunkIndex(item); index < this.#chunks.length; index += 1) {
      for (const other of this.#chunks[index] ?? []) if (this.#compare(other, item) > 0) yield other
    }
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const chunk of this.#chunks) yield* chunk
  }

  /** The first chunk that ends at or after the item. */
  #chunkIndex(item: Item): number {
    let [low, high] = [0, this.#chunks.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const last = this.#chunks[middle]?.at(-1)
      if (last === undefined || this.#compare(last, item) >= 0) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The index in a chunk of the first item that is not before the given one. */
  #placeIn(chunk: readonly Item[], item: Item): number {
    let [low, high] = [0, chunk.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = chunk[middle]
      if (other === undefined || this.#compare(other, item) >= 0) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Plain text order, the same on every machine and in every database that compares bytes. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
