import { seededRandom } from '../../src/testing/seeded-random.ts'
import type { Random } from '../../src/core/time.ts'

/** Chance of one actor: named streams, so that a draw more in one of them shifts no other. */
export class Draw {
  readonly next: Random

  constructor(seed: number, name: string) {
    this.next = seededRandom(seed * 2 ** 21 + hashOf(name))
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new RangeError('Expected a list with something in it, got an empty one.')
    return item
  }

  /** Instants within a length of time, in order. */
  instants(count: number, fromMs: number, toMs: number): number[] {
    return Array.from({ length: count }, () => this.between(fromMs, Math.max(fromMs, toMs))).toSorted(
      (one, other) => one - other,
    )
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) >>> 0
  return hash % 2 ** 21
}
