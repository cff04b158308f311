import type { Directory } from '../../src/core/ports/directory.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Claim, Queue } from '../../src/core/ports/queue.ts'
import type { Instant } from '../../src/core/time.ts'

export type StoreMethod = keyof Queue | keyof Directory

/** One call of a store's queue or directory, as it was made and as it ended. */
export interface StoreCall {
  readonly method: StoreMethod
  readonly request: readonly unknown[]
  /** The worker that called, if the call names one. */
  readonly owner: string | null
  /** What was answered; undefined while the call is under way, and if it failed. */
  answer: unknown
}

/** Stands between the engine and the store: may run the call, or fail before it, after it, or never end. */
export type Bend = (call: StoreCall, run: () => Promise<unknown>) => Promise<unknown>

/** A store whose calls are recorded in the order in which they were made, and may be bent. */
export interface WatchedStore extends Store {
  readonly calls: readonly StoreCall[]
  /** The names of the calls of a life: claims, renewals, releases and marks. */
  life(): StoreMethod[]
  claims(): { readonly owner: string | null; readonly at: Instant; readonly claim: Claim }[]
  bend: Bend
}

const ofALife: ReadonlySet<StoreMethod> = new Set(['claim', 'renew', 'release', 'mark'])

export function watch(store: Store, bend: Bend = (_, run) => run()): WatchedStore {
  const calls: StoreCall[] = []
  const watched: WatchedStore = {
    ...store,
    queue: watchedHalf(store.queue, calls, (call, run) => watched.bend(call, run)),
    directory: watchedHalf(store.directory, calls, (call, run) => watched.bend(call, run)),
    calls,
    bend,
    // A claim that found nothing is no part of a life.
    life: () =>
      calls
        .filter(({ method, answer }) => ofALife.has(method) && !(method === 'claim' && isEmpty(answer)))
        .map(({ method }) => method),
    claims: () =>
      calls
        .filter(({ method }) => method === 'claim')
        .flatMap(({ owner, request, answer }) => {
          const { now: at } = request[0] as { now: Instant }
          return ((answer ?? []) as Claim[]).map((claim) => ({ owner, at, claim }))
        }),
  }
  return watched
}

function watchedHalf<Half extends Queue | Directory>(half: Half, calls: StoreCall[], bend: Bend): Half {
  const entries = Object.entries(half).map(([name, method]: [string, (...request: unknown[]) => Promise<unknown>]) => [
    name,
    async (...request: unknown[]) => {
      const [first] = request
      const owner = typeof first === 'object' && first !== null && 'owner' in first ? String(first.owner) : null
      const call: StoreCall = { method: name as StoreMethod, request, owner, answer: undefined }
      calls.push(call)
      call.answer = await bend(call, () => method(...request))
      return call.answer
    },
  ])
  return Object.fromEntries(entries) as Half
}

function isEmpty(answer: unknown): boolean {
  return Array.isArray(answer) && answer.length === 0
}
