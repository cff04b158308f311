import { createMetrics } from 'posthorn/metrics'
import type { Metrics } from 'posthorn/metrics'
import { Posthorn } from 'posthorn'
import type { Store } from 'posthorn'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../acceptance/databases.ts'
import { read } from './scrape.ts'

const quick = { delays: { kind: 'list', delaysMs: [1] }, jitterShare: 0, maxAttempts: 2 } as const

interface Worker {
  readonly posthorn: Posthorn
  readonly metrics: Metrics
}

const close = async (): Promise<void> => undefined

/** One store for two: a SQLite file has room for workers of one process only, and the first that stops must not close it. */
function keptOpen(store: Store): Store {
  return { ...store, close, metered: (meter) => ({ ...(store.metered?.(meter) ?? store), close }) }
}

/** A worker on the store, with a count of its own. */
async function workerOn(store: Store): Promise<Worker> {
  const metrics = createMetrics()
  const posthorn = new Posthorn({
    store,
    meter: metrics.meter,
    pollMs: 50,
    allowedTargets: ['127.0.0.0/8'],
    policies: { quick },
    allowUnsafeRetryDelays: true,
  })
  await posthorn.start()
  return { posthorn, metrics }
}

/** Resolves when so many deliveries have ended, of all workers together. */
function untilEnded(workers: readonly Worker[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let ended = 0
    const end = (): void => {
      if ((ended += 1) === count) resolve()
    }
    for (const { posthorn } of workers) {
      posthorn.on('delivery.delivered', end)
      posthorn.on('delivery.dead', end)
    }
  })
}

async function sumOver(workers: readonly Worker[], name: string, labels = {}): Promise<number> {
  const each = await Promise.all(workers.map(({ metrics }) => read(metrics, name, labels)))
  return each.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0)
}

async function endpointsAt(posthorn: Posthorn, local: Receiver): Promise<{ paused: string }> {
  local.behave('/fails', 500)
  local.behave('/rejects', 400)
  for (const name of ['well', 'fails', 'rejects'])
    await posthorn.endpoints.create({ application: 'acme', url: local.url(`/${name}`), types: [name], policy: 'quick' })
  const { id } = await posthorn.endpoints.create({ application: 'acme', url: local.url('/well'), types: ['kept'] })
  await posthorn.endpoints.pause(id)
  return { paused: id }
}

describe.each(databases)('on $name', ({ open }) => {
  test('the counters of two workers, summed, are the rows', async () => {
    const database = await open()
    const store = database.store()
    const local = await receiver()
    const workers = [await workerOn(keptOpen(store)), await workerOn(keptOpen(store))]
    onTestFinished(async () => {
      for (const { posthorn } of workers) await posthorn.stop()
      await store.close()
      await local.close()
    })
    const [{ posthorn: first }, { posthorn: second }] = workers as [Worker, Worker]
    const { paused } = await endpointsAt(first, local)

    const ended = untilEnded(workers, 40 + 4 + 4 + 3)
    for (let count = 0; count < 20; count += 1) {
      for (const { posthorn } of workers) await posthorn.send({ application: 'acme', type: 'well', data: { count } })
    }
    // Fewer failures than open a breaker, which would hold the rest.
    for (const type of ['fails', 'rejects'])
      for (let count = 0; count < 4; count += 1) await second.send({ application: 'acme', type, data: {} })
    for (let count = 0; count < 3; count += 1) await first.send({ application: 'acme', type: 'kept', data: {} })
    await first.cancel({ endpointId: paused })
    await ended
    await Promise.all(workers.map(({ posthorn }) => posthorn.idle()))

    const count = async (sql: string): Promise<number> => Number((await database.query(sql))[0]?.['n'])
    const attempts = await count('select count(*) as n from posthorn_attempts')
    const delivered = await count(`select count(*) as n from webhook_deliveries where status = 'delivered'`)
    expect({ attempts, delivered }).toEqual({ attempts: 56, delivered: 40 })
    expect(await sumOver(workers, 'posthorn_attempts_total')).toBe(attempts)
    expect(await sumOver(workers, 'posthorn_attempt_duration_seconds_count')).toBe(attempts)
    for (const status of [2, 4, 5])
      expect(await sumOver(workers, 'posthorn_attempts_total', { status_class: `${status}xx` })).toBe(
        await count(`select count(*) as n from posthorn_attempts where status_code / 100 = ${status}`),
      )
    expect(await sumOver(workers, 'posthorn_deliveries_delivered_total')).toBe(delivered)
    expect(await sumOver(workers, 'posthorn_delivery_latency_seconds_count')).toBe(delivered)
    for (const reason of ['exhausted', 'cancelled'])
      expect(await sumOver(workers, 'posthorn_dead_letters_total', { reason })).toBe(
        await count(`select count(*) as n from webhook_deliveries where status = 'dead' and reason = '${reason}'`),
      )
    expect(await sumOver(workers, 'posthorn_dead_letters_total')).toBe(11)
    expect(await sumOver(workers, 'posthorn_messages_accepted_total')).toBe(
      await count('select count(*) as n from posthorn_messages'),
    )
    expect(await sumOver(workers, 'posthorn_stale_marks_refused_total')).toBe(0)
    expect(await sumOver(workers, 'posthorn_interruptions_total')).toBe(0)
    // Both have done a part of it: a sum of one would prove nothing.
    for (const worker of workers) expect(await sumOver([worker], 'posthorn_attempts_total')).toBeGreaterThan(0)
  })
})
