import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import type { Overview, PosthornOptions } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latencyBoundsMs } from '../../src/core/ports/overview.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { plannedDelays } from '../../src/core/delivery/retry-policy.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { answersAfterMs, calmMessages, messagesPerSecond, simulate, slowAnswersAfterMs } from './simulation.ts'
import type { EndpointHold, Simulated } from './simulation.ts'
import type { Row } from './databases.ts'
import { isFast } from '../postgres.ts'

// With `npm run test:fast`, a twentieth of the endpoints, and half the traffic: still more for an endpoint than two ticks let through.
const tenants = isFast ? 1 : 20
/** With the breaker on a quarter of the endpoints shows the same, in a quarter of the time. */
const tenantsOf = (mode: (typeof modes)[number]): number => (mode === 'breaker on' ? Math.ceil(tenants / 4) : tenants)
const outageMs = 10 * 60_000
const { policy, limits } = presets.standard
/** A row that left on its tick may wait for room in its endpoint's window, which is narrow when the endpoint has just come back. */
const mostWaitMs = 1_000
/** What a hold kept back leaves over a few ticks, each with twice the allowance of the one before. */
const rampMs = 8 * limits.pollMs
const planned = plannedDelays(policy)

/** What the broken release did (RR-1-table); only the override lets it start. */
const broken: Partial<PosthornOptions> = {
  allowUnsafeRetryDelays: true,
  policies: {
    standard: {
      delays: { kind: 'list', delaysMs: Array.from({ length: 7 }, () => 5_000) },
      jitterShare: 0,
      maxAttempts: 8,
    },
  },
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

/** A run on SQLite, and what its database knows of it. */
interface StoredRun extends Simulated {
  /** By delivery and number of failures. */
  readonly waits: ReadonlyMap<string, Wait>
  query(sql: string, ...values: (string | number | null)[]): Row[]
}

const folder = mkdtempSync(join(tmpdir(), 'posthorn-simulation-'))
const databases: InstanceType<typeof DatabaseSync>[] = []
// Without the breaker every failure is seen to be retried; with it, as it ships, most of what comes during the outage waits unsent.
const modes = ['breaker off', 'breaker on'] as const
const runs = new Map<(typeof modes)[number], StoredRun>()
let bad: Simulated

// The broken values run on the memory store, because nothing of theirs is asked by SQL: that takes half the time, and shows that
// no database is to blame.
for (const mode of modes)
  beforeAll(async () => void runs.set(mode, await storedRun(join(folder, `${mode}.db`), mode)), 300_000)
beforeAll(async () => {
  bad = await simulate({ store: memoryStore(), settings: { ...broken, breaker: false }, tenants, outageMs })
}, 300_000)

afterAll(() => {
  for (const database of databases) database.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(modes)('%s', (mode) => {
  test('RR-6-deadletters an outage of ten minutes kills under 2 % of what it hits, and over 5 % with the broken values', () => {
    const run = runOf(mode)
    const hit = (tenantsOf(mode) * messagesPerSecond * outageMs) / 1_000
    expect(run.hit.created).toBe(hit)
    expect(run.hit.dead / hit).toBeLessThan(0.02)
    const badlyHit = (tenants * messagesPerSecond * outageMs) / 1_000
    expect(bad.hit.created).toBe(badlyHit)
    expect(bad.hit.dead / badlyHit).toBeGreaterThan(0.05)

    // Bounded by what was hit, falling from the end of the outage on, and empty in the end.
    const depths = run.samples.filter(({ at }) => at >= run.outageEnded).map(({ queue }) => queue.retries)
    expect(Math.max(...depths)).toBeLessThanOrEqual(hit)
    expect(depths).toEqual(depths.toSorted((left, right) => right - left))
    expect(run.last.queue).toEqual({ fresh: 0, retries: 0, held: 0, dead: 0, atLeast: false, oldestDueAt: null })
    expect(
      run.query(`select count(*) as count from webhook_deliveries where status not in ('delivered', 'dead')`),
    ).toEqual([{ count: 0 }])
    // Every endpoint that was down was held, and nobody else.
    expect(new Set(run.holds.map(({ endpointId }) => endpointId))).toEqual(
      new Set(mode === 'breaker on' ? run.downIds : []),
    )
  })

  test('RR-6-intervals every retry left within a tick of its time or of a hold, which lay within ±20 % of 60 s doubled n times, and no outage came back as a stampede', () => {
    const run = runOf(mode)
    const failures = run.query(`select * from (
  select delivery_id, webhook_id, a.started_at + a.took_ms as failed_at,
    row_number() over (partition by delivery_id order by epoch) as failures,
    lead(a.started_at) over (partition by delivery_id order by epoch) as retried_at
  from posthorn_attempts a
  join webhook_deliveries d on d.id = a.delivery_id
  where d.attempt_count > 1) log
where retried_at is not null`)
    // No failure went unseen: each wait is longer than the time between two looks.
    expect(failures.length).toBeGreaterThan(0)
    expect(failures).toHaveLength(run.waits.size)
    expect(run.query('select count(*) as count from posthorn_endpoint_health where held_until is not null')).toEqual([
      { count: 0 },
    ])
    expect(failures.filter((failure) => !leftInTime(run, failure))).toEqual([])
    expect(run.holds.flatMap((hold) => stampedesAfter(run, hold))).toEqual([])

    // Ten minutes need the first four waits; the draws fill the whole range of each.
    if (mode === 'breaker on') return
    const drawn = planned.map((plannedMs, index) =>
      [...run.waits.values()]
        .filter((wait) => wait.failures === index + 1)
        .map((wait) => (wait.nextRetryAt - wait.failedAt) / plannedMs),
    )
    expect(drawn.map(({ length }) => length > 0)).toEqual([true, true, true, true, false])
    expect(drawn.slice(0, 4).map(unfilledShare)).toEqual([0, 0, 0, 0])
  })

  test('RR-6-healthy the outage of others costs a healthy endpoint nothing, and a slow one is delivered at the first attempt', () => {
    const run = runOf(mode)
    const perEndpoint = (messagesPerSecond * outageMs) / 1_000 + calmMessages
    const ends = run.query(`select webhook_id, count(*) as sent, max(attempt_count) as attempts,
  sum(case when status = 'delivered' then 1 else 0 end) as delivered, max(last_attempted_at - created_at) as slowest_ms
from webhook_deliveries
group by webhook_id`)
    const byId = new Map(ends.map(({ webhook_id: id, ...counts }) => [id, counts]))
    expect(run.healthyIds).toHaveLength(tenantsOf(mode) * 9)
    // From `send` to the answer no time passed but the endpoint's own.
    const healthy = { sent: perEndpoint, attempts: 1, delivered: perEndpoint, slowest_ms: Math.max(...answersAfterMs) }
    for (const id of run.healthyIds) expect(byId.get(id)).toEqual(healthy)

    expect(run.slow).toEqual({ created: 24, dead: 0 })
    expect(byId.get(run.slowId)).toEqual({ sent: 24, attempts: 1, delivered: 24, slowest_ms: slowAnswersAfterMs })
    // The timeout of the broken release made failures of all of them.
    expect(bad.slow).toEqual({ created: 24, dead: 24 })
  })
})

test('RR-4-metrics the overview shows queue depth, p95 and the dead-letter rate, with a warning over 2 % and an alarm over 5 %', async () => {
  const good = runOf('breaker off')
  const depths = (from: number, to: number): number[] =>
    good.samples.filter(({ at }) => at > from && at <= to).map(({ queue }) => queue.retries)
  expect(depths(good.began, good.outageBegan)).toEqual([0])
  const rising = depths(good.outageBegan, good.outageEnded)
  expect(rising).toHaveLength(outageMs / 40_000)
  expect(rising).toEqual(rising.toSorted((left, right) => left - right))
  expect(rising.at(-1)).toBeGreaterThan(good.hit.created / 2)
  expect(good.last.queue.retries).toBe(0)

  expect(good.last.latencyP95Ms).toBe(boundOf(slowestOfPercent(good, 95)))
  expect(good.last.latencyP50Ms).toBe(boundOf(slowestOfPercent(good, 50)))

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

async function storedRun(file: string, mode: (typeof modes)[number]): Promise<StoredRun> {
  const store = sqlite(file, { plaintextSecrets: true, synchronous: 'off' })
  const waits = new Map<string, Wait>()
  let database: InstanceType<typeof DatabaseSync> | null = null
  let seenUntil = 0

  function query(sql: string, ...values: (string | number | null)[]): Row[] {
    if (database === null) databases.push((database = new DatabaseSync(file)))
    return database.prepare(sql).all(...values) as Row[]
  }

  async function sample(): Promise<void> {
    for (const row of query(
      `select id, attempt_count, last_attempted_at, next_retry_at, updated_at
from webhook_deliveries
where status = 'failed' and updated_at >= ?`,
      seenUntil,
    )) {
      const failures = Number(row['attempt_count'])
      waits.set(`${row['id']} ${failures}`, {
        failures,
        failedAt: Number(row['last_attempted_at']),
        nextRetryAt: Number(row['next_retry_at']),
      })
      seenUntil = Math.max(seenUntil, Number(row['updated_at']))
    }
  }

  const settings = { breaker: mode === 'breaker on' }
  const simulated = await simulate({ store, settings, tenants: tenantsOf(mode), outageMs, sample })
  return { ...simulated, waits, query }
}

function runOf(mode: (typeof modes)[number]): StoredRun {
  const run = runs.get(mode)
  if (run === undefined) throw new Error(`The run with ${mode} is missing.`)
  return run
}

/** Not before its time, which was as planned; later than a tick only while its endpoint was held, or came back from a hold. */
function leftInTime({ waits, holds }: StoredRun, failure: Row): boolean {
  const plannedMs = planned[Number(failure['failures']) - 1] ?? 0
  const { failedAt, nextRetryAt } = waits.get(`${failure['delivery_id']} ${failure['failures']}`) ?? {
    failedAt: 0,
    nextRetryAt: 0,
  }
  const retriedAt = Number(failure['retried_at'])
  const isPlanned =
    failedAt === failure['failed_at'] && Math.abs(nextRetryAt - failedAt - plannedMs) <= plannedMs * policy.jitterShare
  const wasHeld = holds.some(
    ({ endpointId, began, closed }) =>
      endpointId === failure['webhook_id'] && began <= retriedAt && closed + rampMs >= nextRetryAt,
  )
  return isPlanned && retriedAt >= nextRetryAt && (wasHeld || retriedAt - nextRetryAt <= limits.pollMs + mostWaitMs)
}

/**
 * How much of the range lies beyond the draws. Of n draws the outermost lie within 21/n of the range of its ends, but once in a
 * billion runs: that much counts as nothing.
 */
function unfilledShare(drawn: readonly number[]): number {
  const range = 2 * policy.jitterShare
  const least = drawn.reduce((one, other) => Math.min(one, other))
  const most = drawn.reduce((one, other) => Math.max(one, other))
  const unfilled = Math.max(least - (1 - policy.jitterShare), 1 + policy.jitterShare - most) / range
  return unfilled <= 21 / drawn.length ? 0 : unfilled
}

/** Times from which on an endpoint that came back got more within a tick than two ticks allow: 100 at first, and twice as many with each tick. */
function stampedesAfter({ query }: StoredRun, { endpointId, until }: EndpointHold): string[] {
  const sent = query(
    `select a.started_at as at
from posthorn_attempts a
join webhook_deliveries d on d.id = a.delivery_id
where d.webhook_id = ? and a.started_at >= ?
order by a.started_at`,
    endpointId,
    until,
  ).map(({ at }) => Number(at))
  return sent
    .flatMap((at, index) => {
      const ticks = Math.floor((at - until) / limits.pollMs)
      const mostInATick = limits.retriesPerEndpoint * (2 ** ticks + 2 ** (ticks + 1))
      const beyond = sent[index + mostInATick]
      return beyond !== undefined && beyond < at + limits.pollMs
        ? [`${endpointId} got over ${mostInATick} within a tick, ${at - until} ms after its hold.`]
        : []
    })
    .slice(0, 1)
}

/** The time within which so many per cent of all attempts had ended. */
function slowestOfPercent({ query }: StoredRun, percent: number): number {
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
  for (const application of ['fine', 'dead'])
    await posthorn.endpoints.create({ application, url: `https://${application}.example/` })
  await posthorn.start()
  const applications = [
    ...Array.from({ length: delivered }, () => 'fine'),
    ...Array.from({ length: dead }, () => 'dead'),
  ]
  await posthorn.send(applications.map((application) => ({ application, type: 'invoice.paid', data: {} })))
  await posthorn.idle()
  const overview = await posthorn.overview()
  await posthorn.stop()
  return overview
}
