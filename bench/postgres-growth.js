// What a claim costs on PostgreSQL when the table has grown, with its commit on disk.
import { Client } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { DueTimes } from '../dist/engine/claim/due-times.js'
import { claimText } from '../dist/stores/postgres/queue/claim.js'
import { postgresDialect } from '../dist/stores/postgres/database.js'
import { percentile, print, whole } from './common.js'

export const schema = 'growth'
const perClaim = 60
const mostBytes = 2 ** 26
const asked = 20
const claims = 200
const dueRows = 15_000
const pollMs = 5_000

/**
 * `scale` 1 is ten million rows of history, one million due, and 200,000 finished under an open snapshot. Resolves with the slowest claim
 * of each but the last: p99, in ms.
 */
export async function growthOnPostgres(url, { scale, explained }) {
  const world = { ...(await grownWorld(url)), explained }
  const million = Math.ceil(1_000_000 * scale)
  const cases = [
    ['an almost empty table', []],
    [`${whole(million)} due rows`, [{ rows: million, status: 'pending' }]],
    [`${whole(million)} due rows behind one blocked endpoint`, [{ rows: million, status: 'pending', others: 1 }]],
    [
      `${whole(million / 10)} due rows of 10,000 other endpoints`,
      [{ rows: million / 10, status: 'pending', others: 10_000 }],
    ],
    [`${whole(10 * million)} rows of history`, [{ rows: 10 * million, status: 'delivered' }]],
  ]
  try {
    const slowestMs = []
    for (const [name, fills] of cases) slowestMs.push(await claimsOf(world, name, fills))
    await underOldSnapshot(world, url, Math.ceil(200_000 * scale))
    return slowestMs
  } finally {
    await world.close()
  }
}

/** A schema with some endpoints and one small message, of which all deliveries are. */
export async function grownWorld(url) {
  const db = new Client({ connectionString: url })
  await db.connect()
  const store = postgres(url, { schema, plaintextSecrets: true, timeoutMs: 60_000 })
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  const endpointIds = []
  for (let index = 0; index < asked; index += 1) {
    endpointIds.push((await posthorn.endpoints.create({ application: 'acme', url: 'http://127.0.0.1:9/hook' })).id)
  }
  await db.query(
    `insert into ${schema}.messages (id, type, body) values ('msg_bench', 'invoice.paid', '{}') on conflict do nothing`,
  )
  return {
    db,
    store,
    endpointIds,
    async close() {
      await posthorn.stop()
      await db.end()
    },
  }
}

async function claimsOf(world, name, fills) {
  await fill(world, [...fills, { rows: dueRows, status: 'pending' }])
  const times = []
  for (let count = 0; count < claims; count += 1) times.push(await claimAndMark(world, world.endpointIds))
  print(`claim of ${perClaim}, ${name}`, shown(times, 0.99), `p99 (p50 ${shown(times, 0.5)}), with fsync`)
  if (world.explained) console.log(await planOf(world))
  return percentile(times, 0.99)
}

/** What PostgreSQL does for one such claim, and undoes. */
async function planOf({ db, endpointIds }) {
  const values = ['bench', Date.now(), Date.now() + 60_000, perClaim]
  const column = (value) => endpointIds.map(() => value)
  const places = endpointIds.map((_, place) => place)
  const wants = [endpointIds, column(perClaim / asked), column(mostBytes), places, column(0)]
  // Nothing of the other two lanes.
  const others = Array.from({ length: 2 * wants.length }, () => [])
  await db.query('begin')
  const { rows } = await db.query(`explain (analyze, buffers) ${claimText(postgresDialect(schema))}`, [
    ...values,
    ...wants,
    ...others,
  ])
  await db.query('rollback')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** A report or a backup that takes its time: what is finished meanwhile cannot be vacuumed, and stays in every index. */
async function underOldSnapshot(world, url, finished) {
  const report = new Client({ connectionString: url })
  await report.connect()
  for (const to of [world.endpointIds, world.endpointIds.slice(0, 1)]) {
    await fill(world, [{ rows: finished + dueRows, status: 'pending', to }])
    await report.query(`begin isolation level repeatable read; select count(*) from ${schema}.endpoints`)
    const { times, walks } = await finish(world, to, finished)
    await report.query('commit')
    const last = times.slice(-claims)
    print(
      `claim of ${perClaim}, ${whole(finished)} finished under an old snapshot`,
      shown(last, 0.99),
      `p99 (p50 ${shown(last, 0.5)}) of the last ${claims} over ${to.length} endpoints; of all ${shown(times, 0.99)}; the last walk ${walks.at(-1).toFixed(1)} ms`,
    )
  }
  await report.end()
}

/** As the engine does: walks on the tick, and lets claims begin where the walk found the first open row. */
async function finish(world, endpointIds, finished) {
  const dueTimes = new DueTimes()
  const [times, walks] = [[], []]
  let walkedAt = Number.NEGATIVE_INFINITY
  for (let count = 0; count < finished / perClaim; count += 1) {
    const startedAt = performance.now()
    if (startedAt - walkedAt > pollMs) {
      dueTimes.begin('fresh', Date.now())
      dueTimes.note('fresh', await world.store.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 500 }))
      dueTimes.end('fresh')
      walkedAt = performance.now()
      walks.push(walkedAt - startedAt)
    }
    times.push(await claimAndMark(world, endpointIds, dueTimes))
  }
  return { times, walks }
}

export async function claimAndMark({ store }, endpointIds, dueTimes = new DueTimes()) {
  const most = perClaim / endpointIds.length
  const wants = endpointIds.map((endpointId) => ({
    endpointId,
    lane: 'fresh',
    most,
    mostBytes,
    dueFrom: dueTimes.startOf(endpointId, 'fresh'),
  }))
  const startedAt = performance.now()
  const claimed = await store.queue.claim({
    owner: 'bench',
    leaseMs: 3_600_000,
    now: Date.now(),
    most: perClaim,
    wants,
  })
  const tookMs = performance.now() - startedAt
  if (claimed.length !== perClaim) throw new Error(`claimed ${claimed.length} of ${perClaim}`)
  // As in life, what is claimed is soon delivered: it does not stay at the head of the queue.
  await store.queue.mark({ owner: 'bench', now: Date.now(), marks: claimed.map(delivered) })
  return tookMs
}

export function delivered({ delivery: { id, endpointId, leaseEpoch } }) {
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null }
  return { deliveryId: id, epoch: leaseEpoch, endpointId, mark, attempt: null }
}

function shown(times, share) {
  return `${percentile(times, share).toFixed(1)} ms`
}

/** Empties the table and fills it inside the server; in one transaction with the emptying nothing goes through the log. */
export async function fill({ db, endpointIds }, fills) {
  await db.query('begin')
  await db.query(`truncate ${schema}.webhook_deliveries, ${schema}.attempts`)
  // An index over all rows at once is made several times as fast as row by row.
  await db.query(`set local maintenance_work_mem = '256MB'`)
  const { rows: indexes } = await db.query(`select indexname, indexdef from pg_indexes
    where schemaname = '${schema}' and tablename = 'webhook_deliveries' and indexname not like '%_pkey'`)
  for (const { indexname } of indexes) await db.query(`drop index ${schema}.${indexname}`)
  for (const [
    part,
    { rows, status, others = 0, to = endpointIds, id = `format('dlv_%s%s', ${part}, lpad(n::text, 17, '0'))` },
  ] of fills.entries()) {
    const now = Date.now() - rows
    const among = others === 0 ? to : Array.from({ length: others }, (_, index) => `ep_other${index}`)
    const times = status === 'delivered' ? `null, ${now} + n` : `${now} + n, null`
    await db.query(
      `insert into ${schema}.webhook_deliveries (id, webhook_id, message_id, event_type, target_url, status, next_retry_at, last_attempted_at, created_at)
      select ${id}, ($1::text[])[1 + n % $2::integer], 'msg_bench', 'invoice.paid',
        'http://127.0.0.1:9/hook', '${status}', ${times}, ${now} + n
      from generate_series(1, ${rows}) as n`,
      [among, among.length],
    )
  }
  for (const { indexdef } of indexes) await db.query(indexdef)
  await db.query('commit')
  await db.query(`vacuum analyze ${schema}.webhook_deliveries`)
  await db.query('checkpoint')
}
