import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import type { Overview, PosthornOptions } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { latencyBoundsMs } from '../../src/core/overview.ts'
import { presets } from '../../src/core/presets.ts'
import { plannedDelays } from '../../src/core/retry-policy.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { answersAfterMs, calmMessages, messagesPerSecond, simulate, slowAnswersAfterMs } from './simulation.ts'
import type { Simulated } from './simulation.ts'
import type { Row } from './databases.ts'

// With `npm run test:fast`, a tenth of the endpoints: the rates stay the same.
const tenants = process.env['POSTHORN_TEST_FAST'] === '1' ? 2 : 20
const outageMs = 10 * 60_000
const { policy, pace } = presets.standard
/** A row that left on its tick may wait for room in its endpoint's window, which is narrow when the endpoint has just come back. */
const mostWaitMs = 1_000

/** What the broken release did (RR-1-table); only the override lets it start. */
const broken: Partial<PosthornOptions> = {
  allowUnsafeRetryDelays: true,
  policies: { standard: { delays: { kind: 'list', delaysMs: Array.from({ length: 7 }, () => 5_000) }, jitterShare: 0, maxAttempts: 8 } },
  timeoutMs: 10_000,
  pool: 50,
  retriesPerEndpoint: 500,
}

/** A wait as the row showed it while it lasted. */
interface Wait {
  readonly failures: number
  readonly failedAt: number
  readonly nextRetryAt: number
}

const folder = mkdtempSync(join(tmpdir(), 'posthorn-simulation-'))
const waits = new Map<string, Wait>()
let database: InstanceType<typeof DatabaseSync>
let good: Simulated
let bad: Simulated

// The breaker is off in both runs: it would hold back the retries that are looked at here. The broken values run on the
// memory store, because nothing of theirs is asked by SQL: that takes half the time, and shows that no database is to blame.
beforeAll(async () => {
  const file = join(folder, 'webhooks.db')
  const store = sqlite(file, { plaintextSecrets: true, synchronous: 'off' })
  let seenUntil = 0
  const sample = async (): Promise<void> => {
    database ??= new DatabaseSync(file)
    for (const row of query(`select id, attempt_count, last_attempted_at, next_retry_at, updated_at
from webhook_deliveries
where status = 'failed' and updated_at >= ?`, seenUntil)) {
      const failures = Number(row['attempt_count'])
      waits.set(`${row['id']} ${failures}`, { failures, failedAt: Number(row['last_attempted_at']), nextRetryAt: Number(row['next_retry_at']) })
      seenUntil = Math.max(seenUntil, Number(row['updated_at']))
    }
  }
  good = await simulate({ store, settings: { breaker: false }, tenants, outageMs, sample })
  bad = await simulate({ store: memoryStore(), settings: { ...broken, breaker: false }, tenants, outageMs })
}, 300_000)

afterAll(() => {
  database?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('RR-6-deadletters an outage of ten minutes kills under 2 % of what it hits, and over 5 % with the broken values', () => {
  const hit = (tenants * messagesPerSecond * outageMs) / 1_000
  expect(good.hit.created).toBe(hit)
  expect(good.hit.dead / hit).toBeLessThan(0.02)
  expect(bad.hit.created).toBe(hit)
  expect(bad.hit.dead / hit).toBeGreaterThan(0.05)

  // Bounded by what was hit, falling from the end of the outage on, and empty in the end.
  const depths = good.samples.filter(({ at }) => at >= good.outageEnded).map(({ queue }) => queue.retries)
  expect(Math.max(...depths)).toBeLessThanOrEqual(hit)
  expect(depths).toEqual(depths.toSorted((left, right) => right - left))
  expect(good.last.queue).toEqual({ fresh: 0, retries: 0, held: 0, dead: 0, atLeast: false, oldestDueAt: null })
  expect(query(`select count(*) as count from webhook_deliveries where status not in ('delivered', 'dead')`)).toEqual([{ count: 0 }])
})

test('RR-6-intervals every retry left within a tick of its time, which lay within ±20 % of 60 s doubled n times', () => {
  const failures = query(`select * from (
  select delivery_id, started_at + took_ms as failed_at,
    row_number() over (partition by delivery_id order by epoch) as failures,
    lead(started_at) over (partition by delivery_id order by epoch) as retried_at
  from posthorn_attempts
  where delivery_id in (select id from webhook_deliveries where attempt_count > 1)) log
where retried_at is not null`)
  // No failure went unseen: each wait is longer than the time between two looks.
  expect(failures).toHaveLength(waits.size)
  expect(query('select count(*) as count from posthorn_endpoint_health where held_until is not null')).toEqual([{ count: 0 }])

  const planned = plannedDelays(policy)
  const wrong = failures.filter((failure) => {
    const plannedMs = planned[Number(failure['failures']) - 1] ?? 0
    const { failedAt, nextRetryAt } = waits.get(`${failure['delivery_id']} ${failure['failures']}`) ?? { failedAt: 0, nextRetryAt: 0 }
    const lateMs = Number(failure['retried_at']) - nextRetryAt
    const isPlanned = failedAt === failure['failed_at'] && Math.abs(nextRetryAt - failedAt - plannedMs) <= plannedMs * policy.jitterShare
    return !isPlanned || lateMs < 0 || lateMs > pace.pollMs + mostWaitMs
  })
  expect(wrong).toEqual([])

  // Ten minutes need the first four waits; the draws fill the whole range of each.
  const spread = planned.map((plannedMs, index) => {
    const drawn = [...waits.values()].filter((wait) => wait.failures === index + 1).map((wait) => (wait.nextRetryAt - wait.failedAt) / plannedMs)
    return drawn.length === 0 ? [] : [drawn.reduce((least, share) => Math.min(least, share)), drawn.reduce((most, share) => Math.max(most, share))]
  })
  const whole = [expect.closeTo(1 - policy.jitterShare, 2), expect.closeTo(1 + policy.jitterShare, 2)]
  expect(spread).toEqual([whole, whole, whole, whole, []])
})

test('RR-6-healthy the outage of others costs a healthy endpoint nothing, and a slow one is delivered at the first attempt', () => {
  const perEndpoint = (messagesPerSecond * outageMs) / 1_000 + calmMessages
  const ends = query(`select webhook_id, count(*) as sent, max(attempt_count) as attempts,
  sum(case when status = 'delivered' then 1 else 0 end) as delivered, max(last_attempted_at - created_at) as slowest_ms
from webhook_deliveries
group by webhook_id`)
  const byId = new Map(ends.map(({ webhook_id: id, ...counts }) => [id, counts]))
  expect(good.healthyIds).toHaveLength(tenants * 9)
  // From `send` to the answer no time passed but the endpoint's own.
  const healthy = { sent: perEndpoint, attempts: 1, delivered: perEndpoint, slowest_ms: Math.max(...answersAfterMs) }
  for (const id of good.healthyIds) expect(byId.get(id)).toEqual(healthy)

  expect(good.slow).toEqual({ created: 24, dead: 0 })
  expect(byId.get(good.slowId)).toEqual({ sent: 24, attempts: 1, delivered: 24, slowest_ms: slowAnswersAfterMs })
  // The timeout of the broken release made failures of all of them.
  expect(bad.slow).toEqual({ created: 24, dead: 24 })
})

test('RR-4-metrics the overview shows queue depth, p95 and the dead-letter rate, with a warning over 2 % and an alarm over 5 %', async () => {
  const depths = (from: number, to: number): number[] => good.samples.filter(({ at }) => at > from && at <= to).map(({ queue }) => queue.retries)
  expect(depths(good.began, good.outageBegan)).toEqual([0])
  const rising = depths(good.outageBegan, good.outageEnded)
  expect(rising).toHaveLength(outageMs / 40_000)
  expect(rising).toEqual(rising.toSorted((left, right) => left - right))
  expect(rising.at(-1)).toBeGreaterThan(good.hit.created / 2)
  expect(good.last.queue.retries).toBe(0)

  expect(good.last.latencyP95Ms).toBe(boundOf(slowestOfPercent(95)))
  expect(good.last.latencyP50Ms).toBe(boundOf(slowestOfPercent(50)))

  expect(new Set([...good.samples, good.last].map(({ alarm }) => alarm))).toEqual(new Set(['none']))
  const alarms = bad.samples.map(({ alarm }) => alarm)
  expect(alarms.filter((alarm, index) => alarm !== alarms[index - 1])).toEqual(['none', 'warning', 'alarm'])
  for (const { deadLetterRate, alarm } of bad.samples) {
    expect(alarm).toBe(deadLetterRate > 0.05 ? 'alarm' : deadLetterRate > 0.02 ? 'warning' : 'none')
  }

  expect(await overviewOf(98, 2)).toMatchObject({ deadLetterRate: 0.02, alarm: 'none' })
  expect(await overviewOf(97, 3)).toMatchObject({ deadLetterRate: 0.03, alarm: 'warning' })
  expect(await overviewOf(95, 5)).toMatchObject({ deadLetterRate: 0.05, alarm: 'warning' })
  expect(await overviewOf(94, 6)).toMatchObject({ deadLetterRate: 0.06, alarm: 'alarm' })
})

function query(sql: string, ...values: (string | number | null)[]): Row[] {
  return database.prepare(sql).all(...values) as Row[]
}

/** The time within which so many per cent of all attempts had ended. */
function slowestOfPercent(percent: number): number {
  const counts = query('select took_ms, count(*) as count from posthorn_attempts group by took_ms order by took_ms')
  const total = counts.reduce((sum, { count }) => sum + Number(count), 0)
  let seen = 0
  for (const { took_ms: tookMs, count } of counts) {
    seen += Number(count)
    if (seen * 100 >= total * percent) return Number(tookMs)
  }
  throw new Error('no attempt')
}

function boundOf(tookMs: number): number | undefined {
  return latencyBoundsMs.find((bound) => tookMs <= bound)
}

/** The overview after so many deliveries have ended well and so many dead. */
async function overviewOf(delivered: number, dead: number): Promise<Overview> {
  const clock = manualClock()
  const transport = scriptedTransport()
  transport.answer('https://dead.example/', 500)
  const posthorn = new Posthorn({ store: memoryStore(), clock, transport, maxRetries: 0 })
  for (const application of ['fine', 'dead']) await posthorn.endpoints.create({ application, url: `https://${application}.example/` })
  await posthorn.start()
  const applications = [...Array.from({ length: delivered }, () => 'fine'), ...Array.from({ length: dead }, () => 'dead')]
  await posthorn.send(applications.map((application) => ({ application, type: 'invoice.paid', data: {} })))
  await posthorn.idle()
  const overview = await posthorn.overview()
  await posthorn.stop()
  return overview
}
