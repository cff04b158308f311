import { describe, expect, test } from 'vitest'
import { PosthornError } from '../../src/core/errors.ts'
import type { Lease } from '../../src/core/lease.ts'
import type { Marked, MarkRequest, Queue, SettledAttempt } from '../../src/core/queue.ts'
import { groupCommit, makeWriter } from '../../src/engine/writer.ts'
import type { Writer } from '../../src/engine/writer.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { makeGate } from './gate.ts'
import { settled } from './world.ts'

describe('a group commit', () => {
  test('takes what comes in together as one, and answers everyone in order', async () => {
    const { commits, group } = recorded()
    expect(await Promise.all([1, 2, 3].map((item) => group.add(item)))).toEqual([10, 20, 30])
    expect(commits).toEqual([[1, 2, 3]])
  })

  test('puts what comes in during one commit into the next', async () => {
    const first = makeGate()
    const { commits, group } = recorded({ before: async ([item]) => (item === 1 ? first.opened : undefined) })
    const early = group.add(1)
    await settled()
    const late = [2, 3].map((item) => group.add(item))
    await settled()
    expect(commits).toEqual([[1]])
    expect(group.waiting).toBe(2)
    first.open()
    expect(await Promise.all([early, ...late])).toEqual([10, 20, 30])
    expect(commits).toEqual([[1], [2, 3]])
    expect(group.waiting).toBe(0)
  })

  test('never runs two commits side by side, and never takes more than its bound', async () => {
    let open = 0
    let mostOpen = 0
    const { commits, group } = recorded({
      most: 4,
      before: async () => {
        open += 1
        mostOpen = Math.max(mostOpen, open)
        await settled()
        open -= 1
      },
    })
    const items = Array.from({ length: 10 }, (_, index) => index)
    expect(await Promise.all(items.map((item) => group.add(item)))).toEqual(items.map((item) => item * 10))
    expect(commits).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]])
    expect(mostOpen).toBe(1)
  })

  test('repeats its members one by one if it fails, so that a bad one harms only itself', async () => {
    const { commits, group } = recorded({ before: async (items) => refuseBad(items) })
    const results = await Promise.allSettled([1, bad, 3].map((item) => group.add(item)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(commits).toEqual([[1, bad, 3], [1], [bad], [3]])
  })

  test('repeats nothing whose outcome is unknown: it may have been stored', async () => {
    const lost = new PosthornError('outcome_unknown', 'The answer was lost.')
    const { commits, group } = recorded({ before: () => Promise.reject(lost) })
    const results = await Promise.allSettled([1, 2].map((item) => group.add(item)))
    expect(results).toEqual([{ status: 'rejected', reason: lost }, { status: 'rejected', reason: lost }])
    expect(commits).toEqual([[1, 2]])
  })

  test('goes on after a commit that failed', async () => {
    const { group } = recorded({ before: async (items) => refuseBad(items) })
    await expect(group.add(bad)).rejects.toThrow('bad member')
    expect(await group.add(7)).toBe(70)
  })
})

describe('the writer', () => {
  test('repeats a mark for as long as the store errs, waiting longer each time, at most two seconds', async () => {
    const world = writerWorld()
    world.failing = 9
    const marked = world.writer.mark(markOf('dlv_1'))
    await world.clock.advance(60_000)
    expect(await marked).toBe('marked')
    const waits = world.marks.map(({ now }, index) => now - (world.marks[index - 1]?.now ?? now))
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
    expect(world.warnings).toHaveLength(9)
    expect(world.warnings[0]).toContain('dlv_1')
    expect(world.clock.pending()).toBe(0)
  })

  test('stores the marks of others although one is refused, and repeats only that one', async () => {
    const world = writerWorld()
    world.poison = 'dlv_2'
    const others = ['dlv_1', 'dlv_2', 'dlv_3'].map((id) => world.writer.mark(markOf(id)))
    await settled()
    expect(world.stored).toEqual(['dlv_1', 'dlv_3'])
    world.poison = null
    await world.clock.advance(50)
    expect(await Promise.all(others)).toEqual(['marked', 'marked', 'marked'])
    expect(world.stored).toEqual(['dlv_1', 'dlv_3', 'dlv_2'])
  })

  test('keeps marks, renewals and releases from running side by side, and gives leases in id order', async () => {
    const world = writerWorld()
    const leases = ['dlv_3', 'dlv_1', 'dlv_2'].map((deliveryId) => ({ deliveryId, epoch: 1 }))
    await Promise.all([world.writer.mark(markOf('dlv_9')), world.writer.renew(leases), world.writer.release(leases), world.writer.mark(markOf('dlv_8'))])
    expect(world.mostOpen).toBe(1)
    for (const given of world.leases) expect(given.map(({ deliveryId }) => deliveryId)).toEqual(['dlv_1', 'dlv_2', 'dlv_3'])
    expect(world.leases).toHaveLength(2)
  })

  test('goes on with the next write after a renewal that failed', async () => {
    const world = writerWorld()
    world.failing = 1
    await expect(world.writer.renew([{ deliveryId: 'dlv_1', epoch: 1 }])).rejects.toThrow('away')
    expect(await world.writer.mark(markOf('dlv_1'))).toBe('marked')
  })

  test('gives up on marks that the store does not take once it is abandoned, and leaves no timer', async () => {
    const world = writerWorld()
    world.failing = Number.POSITIVE_INFINITY
    const waiting = world.writer.mark(markOf('dlv_1'))
    await world.clock.advance(1_000)
    expect(world.clock.pending()).toBe(1)
    world.writer.abandon()
    expect(await waiting).toBeNull()
    expect(await world.writer.mark(markOf('dlv_2'))).toBeNull()
    expect(world.clock.pending()).toBe(0)
  })
})

const bad = -1

function refuseBad(items: readonly number[]): void {
  if (items.includes(bad)) throw new Error('bad member')
}

/** A group commit of numbers, each answered by its tenfold. */
function recorded({ most = 500, before = async () => undefined }: { most?: number; before?: (items: number[]) => Promise<void> } = {}) {
  const commits: number[][] = []
  const group = groupCommit<number, number>(most, async (items) => {
    commits.push(items)
    await before(items)
    return items.map((item) => item * 10)
  })
  return { commits, group }
}

interface WriterWorld {
  readonly writer: Writer
  readonly clock: ManualClock
  readonly marks: MarkRequest[]
  readonly stored: string[]
  readonly leases: (readonly Lease[])[]
  readonly warnings: string[]
  mostOpen: number
  /** How many calls are still to fail. */
  failing: number
  /** A delivery whose mark makes its whole batch fail. */
  poison: string | null
}

function writerWorld(): WriterWorld {
  const clock = manualClock()
  let open = 0

  async function call<Answer>(answer: () => Answer): Promise<Answer> {
    open += 1
    world.mostOpen = Math.max(world.mostOpen, open)
    await Promise.resolve()
    open -= 1
    if (world.failing > 0) {
      world.failing -= 1
      throw new Error('The store is away.')
    }
    return answer()
  }

  const queue: Queue = {
    ...memoryStore().queue,
    mark: (request) => {
      world.marks.push(request)
      return call(() => request.marks.map((settledAttempt): Marked => {
        if (request.marks.some(({ deliveryId }) => deliveryId === world.poison)) throw new Error('poisoned')
        world.stored.push(settledAttempt.deliveryId)
        return 'marked'
      }))
    },
    renew: (request) => call(() => ours(request.leases)),
    release: (request) => call(() => ours(request.leases)),
  }

  function ours(leases: readonly Lease[]): string[] {
    world.leases.push(leases)
    return leases.map(({ deliveryId }) => deliveryId)
  }

  const warnings: string[] = []
  const writer = makeWriter({ queue, clock, owner: 'worker-1', leaseMs: 30_000, warn: (text) => warnings.push(text) })
  const world: WriterWorld = { writer, clock, marks: [], stored: [], leases: [], warnings, mostOpen: 0, failing: 0, poison: null }
  return world
}

function markOf(deliveryId: string): SettledAttempt {
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null } as const
  return { deliveryId, epoch: 1, endpointId: 'ep_1', mark, attempt: null }
}
