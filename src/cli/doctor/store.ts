import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { Store } from '../../core/ports/ports.ts'
import { minute, second } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { NamedDatabase } from '../database.ts'
import { alarmsCheck } from './alarms.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

const latencySamples = 5
const slowMs = 100
const mostSkewMs = second
const brokenSkewMs = minute
const workerGoneMs = 30 * second
const mostCounted = 1_000

/** Checks of a store that is up to date: its key, its speed, its clock, and its workers. */
export async function storeChecks(database: NamedDatabase, settings: Settings): Promise<Check[]> {
  const store = await database.openStore()
  try {
    const key = await secretsCheck(store, settings)
    if (key.level === 'fail') return [key]
    return [
      key,
      await latencyCheck(store),
      await clockCheck(store),
      await workerCheck(store),
      await leaseCheck(store, settings),
      await alarmsCheck(store, settings),
    ]
  } finally {
    await store.close()
  }
}

function secretsCheck(store: Store, { plaintextSecrets }: Settings): Promise<Check> {
  return runCheck('secrets', async () => {
    await store.open()
    if (!plaintextSecrets) return staleCheck((await store.countStaleSecrets?.()) ?? 0)
    const found = 'POSTHORN_PLAINTEXT_SECRETS keeps endpoint secrets unencrypted.'
    return trouble('warn', found, 'Set POSTHORN_SECRETS_KEY instead.')
  })
}

function staleCheck(count: number): Omit<Check, 'name'> {
  if (count === 0) return well('The key for endpoint secrets fits.')
  const are = count === 1 ? 'value is' : 'values are'
  const found = `The key for endpoint secrets fits, but ${count} ${are} sealed with an older one, or not at all.`
  return trouble('warn', found, 'Seal them: posthorn secrets rotate')
}

function latencyCheck({ directory }: Store): Promise<Check> {
  return runCheck('latency', async () => {
    const tookMs: number[] = []
    for (let taken = 0; taken < latencySamples; taken += 1) {
      const startedAt = systemClock.now()
      await directory.listDeliveries({}, { limit: 1, after: null })
      tookMs.push(systemClock.now() - startedAt)
    }
    const medianMs = tookMs.toSorted((one, other) => one - other)[Math.floor(latencySamples / 2)] ?? 0
    const found = `The newest delivery is read within ${medianMs} ms.`
    if (medianMs < slowMs) return well(found)
    return trouble('warn', found, 'That is slow: look at the load, disk and network of the database.')
  })
}

function clockCheck(store: Store): Promise<Check> {
  return runCheck('clock', async () => {
    if (store.time === undefined) return well('SQLite goes by the clock of this machine.')
    const startedAt = systemClock.now()
    const theirs = await store.time()
    const skewMs = Math.round(theirs - (startedAt + systemClock.now()) / 2)
    const found = `This machine's clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} the database's.`
    if (Math.abs(skewMs) < mostSkewMs) return well(found)
    const level = Math.abs(skewMs) < brokenSkewMs ? 'warn' : 'fail'
    return trouble(level, found, 'Let both follow a time server: receivers refuse stale signatures.')
  })
}

function workerCheck(store: Store): Promise<Check> {
  return runCheck('workers', async () => {
    const { directory } = store
    const now = await timeOf(store)
    const alive = (await directory.workers()).filter(({ seenAt }) => now - seenAt < workerGoneMs)
    if (alive.length > 0) {
      const names = alive.map(({ pid, host }) => `${pid} on ${host}`).join(', ')
      return well(`${alive.length} ${alive.length === 1 ? 'worker delivers' : 'workers deliver'}: ${names}.`)
    }
    const { queue } = await directory.overview({ now, windowMs: minute })
    const isDue = queue.oldestDueAt !== null && queue.oldestDueAt <= now
    const found = isDue ? 'Deliveries are due, and no worker is there.' : 'No worker delivers from here.'
    return trouble(isDue ? 'fail' : 'warn', found, 'Start one: posthorn serve, or posthorn worker')
  })
}

/** An expired lease is taken over on the next tick, unless its endpoint is on hold. */
function leaseCheck(store: Store, { leaseMs, pollMs }: Settings): Promise<Check> {
  return runCheck('leases', async () => {
    const ended = await store.directory.endedLeases((await timeOf(store)) - 2 * pollMs, mostCounted)
    if (ended > 0) {
      const count = ended === mostCounted ? `At least ${ended}` : String(ended)
      const found = `${count} ${ended === 1 ? 'lease' : 'leases'} expired more than two ticks ago, and no worker has taken over the deliveries.`
      return trouble('warn', found, 'Is a worker there, and is their endpoint on hold? Ask: posthorn deliveries ls')
    }
    const found = `A lease lasts ${leaseMs} ms, a tick ${pollMs} ms`
    if (leaseMs >= pollMs) return well(`${found}; none has ended without being taken up.`)
    const advice = 'Set POSTHORN_LEASE_MS to several POSTHORN_POLL_MS: a short pause of a worker loses its leases.'
    return trouble('warn', `${found}.`, advice)
  })
}

/** The time that workers use for the store. */
async function timeOf(store: Store): Promise<Instant> {
  return store.time === undefined ? systemClock.now() : store.time()
}
