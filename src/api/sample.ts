import type { StoreSample } from '../core/ports/meter.ts'
import type { Store } from '../core/ports/ports.ts'
import { minute, second } from '../core/time.ts'
import type { Instant } from '../core/time.ts'

// Short, because the rollups of every endpoint in it are read; long enough that one dead letter of a quiet night is no alarm.
const windowMs = 15 * minute
const leastUnseenMs = 15 * second

/** How things stand in a store, as a meter wants to know it every few seconds. */
export async function sampleOf(store: Store, now: Instant, pollMs: number): Promise<StoreSample> {
  const { directory } = store
  const unseenMs = Math.max(3 * pollMs, leastUnseenMs)
  // One after the other: on SQLite each of them holds up the loop for as long as it takes.
  const overview = await directory.overview({ now, windowMs })
  const endpoints = await directory.endpointHealthCounts(now)
  const workers = await directory.workers()
  return {
    overview,
    endpoints,
    workers: workers.filter(({ seenAt }) => seenAt >= now - unseenMs).length,
    disk: (await store.disk?.()) ?? null,
  }
}
