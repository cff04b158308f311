import { Lru } from '../core/lru.ts'
import type { Clock } from '../core/ports/ports.ts'

/** Keeps what was read a moment ago, so that the store is not asked for every request. */
export interface ShortCache<Value> {
  get(key: string): Promise<Value>
  /** Reads it anew the next time, because it was just changed here. */
  forget(key: string): void
}

/** A change made elsewhere is seen after this time. */
const cachedMs = 5_000
const mostKept = 10_000

/** Keeps what `load` answers for a few seconds, the ten thousand that were used last. */
export function makeShortCache<Value>(clock: Clock, load: (key: string) => Promise<Value>): ShortCache<Value> {
  const kept = new Lru<string, { readonly value: Promise<Value>; readonly until: number }>(mostKept)

  function get(key: string): Promise<Value> {
    const known = kept.get(key)
    if (known !== undefined && known.until > clock.now()) return known.value
    const entry = { value: load(key), until: clock.now() + cachedMs }
    kept.set(key, entry)
    // A failure reaches those who wait for it, and is not kept.
    entry.value.catch(() => kept.get(key) === entry && kept.delete(key))
    return entry.value
  }

  return { get, forget: (key) => void kept.delete(key) }
}
