import { messageOf, PosthornError } from '../core/errors.ts'
import type { Lease } from '../core/lease.ts'
import type { Clock } from '../core/ports.ts'
import type { Marked, Queue, SettledAttempt } from '../core/queue.ts'

/** Gathers what comes in together, and what comes in while one commit runs: no timers, and one commit at a time. */
export interface GroupCommit<Item, Answer> {
  add(item: Item): Promise<Answer>
  readonly waiting: number
}

interface Member<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

const goodCompany = 128
const mostTurns = 8

/** `commit` answers in the order given. If it fails, the members are repeated one by one, so that one cannot harm the others. */
export function groupCommit<Item, Answer>(most: number, commit: (items: Item[]) => Promise<Answer[]>, clock?: Pick<Clock, 'turn'>): GroupCommit<Item, Answer> {
  let waiting: Member<Item, Answer>[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      await company()
      const members = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await commitMembers(members)
    }
    running = false
  }

  /** A commit costs the same for one as for a hundred: while every turn of the loop brings more, the next turn is awaited. */
  async function company(): Promise<void> {
    for (let seen = 0, turns = 0; waiting.length > seen && waiting.length < goodCompany && turns < mostTurns; turns += 1) {
      seen = waiting.length
      await (clock?.turn?.() ?? new Promise<void>((resolve) => setImmediate(resolve)))
    }
  }

  async function commitMembers(members: Member<Item, Answer>[]): Promise<void> {
    try {
      const answers = await commit(members.map(({ item }) => item))
      for (const [index, answer] of answers.entries()) members[index]?.resolve(answer)
    } catch (error) {
      // A commit whose answer was lost may have happened: only the caller can repeat it safely, under an idempotency key.
      const isUnknown = error instanceof PosthornError && error.code === 'outcome_unknown'
      if (members.length === 1 || isUnknown) for (const member of members) member.reject(error)
      else for (const member of members) await commitMembers([member])
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (!running) void run()
      }),
    get waiting() {
      return waiting.length
    },
  }
}

/** The one writer of everything under a lease: marks, renewals and releases never run side by side (they would deadlock). */
export interface Writer {
  /** Resolves once the mark is stored; repeats it for as long as the store errs. Null if the writer was abandoned first. */
  mark(settled: SettledAttempt): Promise<Marked | null>
  renew(leases: readonly Lease[]): Promise<string[]>
  release(leases: readonly Lease[]): Promise<void>
  /** Gives up on marks that the store does not take, so that a stop ends. */
  abandon(): void
}

export interface WriterParts {
  readonly queue: Queue
  readonly clock: Clock
  readonly owner: string
  readonly leaseMs: number
  readonly warn: (message: string) => void
}

const mostMarks = 500
const firstRetryMs = 50
const longestRetryMs = 2_000

export function makeWriter({ queue, clock, owner, leaseMs, warn }: WriterParts): Writer {
  const inTurn = oneAtATime()
  const sleepers = new Set<() => void>()
  let abandoned = false
  const marks = groupCommit<SettledAttempt, Marked>(mostMarks, (batch) =>
    inTurn(() => queue.mark({ owner, now: clock.now(), marks: batch })),
    clock,
  )

  async function mark(settled: SettledAttempt): Promise<Marked | null> {
    for (let waitMs = firstRetryMs; !abandoned; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        return await marks.add(settled)
      } catch (error) {
        // UC-0268-8: the row stays leased, and nothing is sent again, until its update is stored.
        warn(`The mark of ${settled.deliveryId} was not stored and will be repeated: ${messageOf(error)}`)
        await sleep(waitMs)
      }
    }
    return null
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (abandoned) return resolve()
      const wake = (): void => {
        cancel()
        sleepers.delete(wake)
        resolve()
      }
      const cancel = clock.after(ms, wake)
      sleepers.add(wake)
    })
  }

  return {
    mark,
    renew: (leases) => inTurn(() => queue.renew({ owner, leaseMs, now: clock.now(), leases: inIdOrder(leases) })),
    async release(leases) {
      await inTurn(() => queue.release({ owner, now: clock.now(), leases: inIdOrder(leases) }))
    },
    abandon() {
      abandoned = true
      for (const wake of sleepers) wake()
    },
  }
}

function inIdOrder(leases: readonly Lease[]): Lease[] {
  return leases.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1))
}

function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}
