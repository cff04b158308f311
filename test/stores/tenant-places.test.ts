import { expect, test } from 'vitest'
import { TenantPlaces } from '../../src/stores/shared/batching/tenant-places.ts'

test('a tenant alone gets all places', () => {
  const queue = new Waiting({ alone: 500 })
  expect(queue.next()).toEqual({ alone: 500 })
})

test('a tenant whose reserve is used up gets half as many places as wait for all others, and at least four', () => {
  const queue = afterAFlood()
  queue.add({ flood: 5_000, one: 12, other: 8 })
  expect(queue.next()).toEqual({ flood: 10 + 1, one: 12, other: 8 })
  queue.add({ one: 1 })
  expect(queue.next()).toEqual({ flood: 4, one: 1 })
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

test('a reserve is refilled by one place with every statement, while nothing of its tenant waits', () => {
  const queue = afterAFlood()
  for (let count = 0; count < 50; count += 1) {
    queue.add({ other: 10 })
    queue.next()
  }
  queue.add({ flood: 1_000, other: 10 })
  expect(queue.next()).toEqual({ flood: 5 + 1 + 50, other: 10 })
  for (let count = 0; count < 50; count += 1) {
    queue.add({ other: 10 })
    queue.next()
  }
  queue.add({ other: 10 })
  expect(queue.next()).toEqual({ flood: 5, other: 10 })
})

test('whoever has fallen behind a flood catches up with it', () => {
  const queue = afterAFlood()
  queue.add({ behind: 3_000, flood: 100 })
  for (let count = 0; count < 60; count += 1) {
    const { flood = 0 } = queue.next()
    // The flood sends again as soon as it is answered, the other one steadily.
    queue.add({ flood, behind: 60 })
  }
  expect(queue.waiting('behind')).toBe(60)
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

/** After a flood that has used up its reserve; since the statement after which nothing of it waited, it has one place again. */
function afterAFlood(): Waiting {
  const queue = new Waiting({ flood: 5_000 })
  for (let count = 0; count < 40; count += 1) {
    queue.add({ other: 10 })
    queue.next()
  }
  while (queue.waiting('flood') > 0) queue.next()
  return queue
}
