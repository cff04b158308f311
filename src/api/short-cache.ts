import type { Clock } from '../core/ports.ts'

/** What was read a moment ago, so that the store is not asked for every request. */
export interface Recall<Value> {
  get(key: string): Promise<Value>
  /** Reads it anew the next time, because it was just changed here. */
  forget(key: string): void
}

/** A change made elsewhere is seen after this time. */
export const recalledMs = 5_000
const mostKept = 10_000

/** Remembers what `load` answers for a few seconds, the latest of it only. */
export function makeRecall<Value>(clock: Clock, load: (key: string) => Promise<Value>): Recall<Value> {
  const kept = new Map<string, { readonly value: Promise<Value>; readonly until: number }>()

  function get(key: string): Promise<Value> {
    const known = kept.get(key)
    if (known !== undefined && known.until > clock.now()) return known.value
    const entry = { value: load(key), until: clock.now() + recalledMs }
    kept.delete(key)
    makeRoom()
    kept.set(key, entry)
    // A failure is told to those who wait for it, and not kept.
    entry.value.catch(() => kept.get(key) === entry && kept.delete(key))
    return entry.value
  }

  function makeRoom(): void {
    const [oldest] = kept.keys()
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
  }

  return { get, forget: (key) => void kept.delete(key) }
}
