import { expect, test } from 'vitest'
import { TenantPlaces } from '../../src/stores/shared/batching/tenant-places.ts'

test('a tenant alone gets all places', () => {
  const queue = new Waiting({ alone: 500 })
  expect(queue.next()).toEqual({ alone: 500 })
})

test('a tenant whose reserve is used up gets half as many places as wait for all others, and at least four', () => {
  const queue = afterAFlood()
  queue.add({ one: 12, other: 8 })
  expect(queue.next()).toEqual({ flood: 10, one: 12, other: 8 })
  queue.add({ one: 1 })
  expect(queue.next()).toEqual({ flood: 4, one: 1 })
})

test('of each other tenant only the first hundred count: the backlog of one is no reason to give a flood more', () => {
  const queue = afterAFlood()
  queue.add({ behind: 3_000 })
  expect(queue.next()).toEqual({ flood: 50, behind: 128 })
  queue.add({ flood: 50, other: 30 })
  expect(queue.next()).toEqual({ flood: 65, behind: 128, other: 30 })
})

test('with its reserve of 4,000 places a tenant catches up, by at most 128 in a statement', () => {
  const queue = new Waiting({ behind: 10_000 })
  const taken = Array.from({ length: 40 }, () => {
    queue.add({ other: 10 })
    return queue.next()['behind']
  })
  // Five of them are its due.
  const left = 4_000 - 32 * 123
  expect(taken).toEqual([...Array<number>(32).fill(128), 5 + left, ...Array<number>(7).fill(5)])
})

test('what a tenant leaves of its places is saved up for it', () => {
  const queue = new Waiting({ busy: 4_000 + 33 * 5 })
  for (let count = 0; count < 33; count += 1) {
    queue.add({ other: 10 })
    queue.next()
  }
  expect(queue.waiting('busy')).toBe(0)
  // Half of what waits for the other are 10 places, of which it takes 3.
  for (let count = 0; count < 6; count += 1) {
    queue.add({ busy: 3, other: 20 })
    queue.next()
  }
  queue.add({ busy: 1_000, other: 20 })
  expect(queue.next()).toEqual({ busy: 10 + 6 * 7, other: 20 })
  queue.add({ other: 20 })
  expect(queue.next()).toEqual({ busy: 10, other: 20 })
})

test('whoever has fallen behind a flood catches up with it, time after time', () => {
  const queue = afterAFlood()
  for (let time = 0; time < 25; time += 1) {
    queue.add({ steady: 500 })
    for (let count = 0; count < 40; count += 1) {
      const { flood = 0 } = queue.next()
      // The flood sends again as soon as it is answered, the other one steadily.
      queue.add({ flood, steady: 40 })
    }
    expect(queue.waiting('steady')).toBe(40)
  }
})

/** Requests of tenants, which take as many places in each statement as they may. */
class Waiting {
  readonly #places = new TenantPlaces()
  readonly #counts = new Map<string, number>()

  constructor(counts: Readonly<Record<string, number>>) {
    this.add(counts)
  }

  add(counts: Readonly<Record<string, number>>): void {
    for (const [tenant, count] of Object.entries(counts)) {
      this.#counts.set(tenant, this.waiting(tenant) + count)
      for (let index = 0; index < count; index += 1) this.#places.add(tenant)
    }
  }

  waiting(tenant: string): number {
    return this.#counts.get(tenant) ?? 0
  }

  /** How many places each tenant takes in the next statement. */
  next(): Record<string, number> {
    const taken: Record<string, number> = {}
    for (const [tenant, waiting] of this.#counts) {
      let count = 0
      while (count < waiting && this.#places.take(tenant)) count += 1
      this.#counts.set(tenant, waiting - count)
      if (count > 0) taken[tenant] = count
    }
    this.#places.next()
    return taken
  }
}

/** A flood that has used up its reserve, and of which a hundred wait. */
function afterAFlood(): Waiting {
  const queue = new Waiting({ flood: 5_000 })
  for (let count = 0; count < 40; count += 1) {
    queue.add({ other: 10 })
    queue.next()
  }
  while (queue.waiting('flood') > 100) queue.next()
  queue.add({ flood: 100 - queue.waiting('flood') })
  return queue
}
