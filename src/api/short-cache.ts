import { Lru } from '../core/lru.ts'
import type { Clock } from '../core/ports/ports.ts'

/** Caches values for a moment, so that not every request reads the store. */
export interface ShortCache<Value> {
  get(key: string): Promise<Value>
  /** Drops a value that was just changed here. */
  forget(key: string): void
}

/** A change made elsewhere is seen after this time. */
const cachedMs = 5_000
const mostKept = 10_000

/** Caches the results of `load` for a few seconds, up to the ten thousand most recently used. */
export function makeShortCache<Value>(clock: Clock, load: (key: string) => Promise<Value>): ShortCache<Value> {
  const kept = new Lru<string, { readonly value: Promise<Value>; readonly until: number }>(mostKept)

  function get(key: string): Promise<Value> {
    const known = kept.get(key)
    if (known !== undefined && known.until > clock.now()) return known.value
    const entry = { value: load(key), until: clock.now() + cachedMs }
    kept.set(key, entry)
    // A failure reaches everybody who waits for it, and is not cached.
    entry.value.catch(() => kept.get(key) === entry && kept.delete(key))
    return entry.value
  }

  return { get, forget: (key) => void kept.delete(key) }
}
