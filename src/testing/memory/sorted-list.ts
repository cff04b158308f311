/** A list that is always in order. Adding and removing touch one short chunk, so a million items are no trouble. */
export interface SortedList<Item> extends Iterable<Item> {
  readonly size: number
  add(item: Item): void
  /** Removes what compares equal; false if there is nothing. */
  remove(item: Item): boolean
  first(): Item | undefined
  /** Those that come after the given one, in order; it need not be in the list. */
  after(item: Item): Iterable<Item>
}

const longestChunk = 256

export function sortedList<Item>(compare: (left: Item, right: Item) => number): SortedList<Item> {
  // Each chunk is in order, none is empty, and every item of a chunk comes before those of the next.
  const chunks: Item[][] = []
  let size = 0

  /** The first chunk that ends at or after the item. */
  function chunkIndex(item: Item): number {
    let [low, high] = [0, chunks.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const last = chunks[middle]?.at(-1)
      if (last === undefined || compare(last, item) >= 0) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The place in a chunk of the first that is not before the item. */
  function placeIn(chunk: readonly Item[], item: Item): number {
    let [low, high] = [0, chunk.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = chunk[middle]
      if (other === undefined || compare(other, item) >= 0) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    get size() {
      return size
    },
    add(item) {
      size += 1
      const index = Math.min(chunkIndex(item), Math.max(chunks.length - 1, 0))
      const chunk = chunks[index]
      if (chunk === undefined) return void chunks.push([item])
      chunk.splice(placeIn(chunk, item), 0, item)
      if (chunk.length > longestChunk) chunks.splice(index + 1, 0, chunk.splice(longestChunk / 2))
    },
    remove(item) {
      const index = chunkIndex(item)
      const chunk = chunks[index]
      if (chunk === undefined) return false
      const place = placeIn(chunk, item)
      const found = chunk[place]
      if (found === undefined || compare(found, item) !== 0) return false
      chunk.splice(place, 1)
      if (chunk.length === 0) chunks.splice(index, 1)
      size -= 1
      return true
    },
    first: () => chunks[0]?.[0],
    *after(item) {
      for (let index = chunkIndex(item); index < chunks.length; index += 1) {
        for (const other of chunks[index] ?? []) if (compare(other, item) > 0) yield other
      }
    },
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield* chunk
    },
  }
}

/** Plain text order, the same on every machine and in every database that compares bytes. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
