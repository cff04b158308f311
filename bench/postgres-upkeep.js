// What the upkeep of grown tables costs on PostgreSQL: room on the pages of deliveries, and two ways to forget attempts.
import { percentile, print, whole } from './common.js'
import { delivered, fill, grownWorld, schema } from './postgres-growth.js'

const table = `${schema}.webhook_deliveries`
const deliveries = 30_000
const repeats = 3
const rounds = 100
const roundsPerCount = 25
const perEndpoint = 10
const leaseMs = 3_600_000

export async function upkeepOnPostgres(url) {
  const world = await grownWorld(url)
  try {
    await fillfactors(world)
  } finally {
    await world.close()
  }
}

/** Claim, renew and mark with more and less room on each page; in turns, because the machine is not the same all the time. */
async function fillfactors(world) {
  const results = new Map([100, 80, 70, 50].map((fillfactor) => [fillfactor, []]))
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const [fillfactor, runs] of results) runs.push(await lives(world, fillfactor))
  }
  for (const [fillfactor, runs] of results) {
    const of = (name) => median(runs.map((run) => run[name]))
    print(
      `claim, renew, mark with fillfactor ${fillfactor}`,
      `${whole(of('perSecond'))}/s`,
      `HOT: claims ${of('hotClaims')} %, renewals ${of('hotRenewals')} %, marks ${of('hotMarks')} %; ` +
        `table ${of('tableMb')} MB before, ${of('tableAfterMb')} after, its indexes ${of('indexesMb')}`,
    )
  }
}

async function lives({ db, store, endpointIds }, fillfactor) {
  await db.query(`alter table ${table} set (fillfactor = ${fillfactor}, autovacuum_enabled = off)`)
  await fill({ db, endpointIds }, [{ rows: deliveries, status: 'pending' }])
  const tableMb = await megabytes(db, 'pg_table_size')
  const wants = endpointIds.map((endpointId) => ({ endpointId, lane: 'fresh', most: perEndpoint }))
  const hot = { claims: [], renewals: [], marks: [] }
  let [busyMs, count, isCounted] = [0, 0, false]
  const timed = async (kind, work) => {
    const before = isCounted ? await updates(store, db) : null
    const startedAt = performance.now()
    const result = await work()
    // The first statement on a new connection is no measure.
    if (!isCounted) busyMs += performance.now() - startedAt
    if (!isCounted) return result
    const after = await updates(store, db)
    hot[kind].push((100 * (after.hot - before.hot)) / (after.all - before.all))
    return result
  }
  for (let round = 0; round < rounds; round += 1) {
    isCounted = round % roundsPerCount === roundsPerCount - 1
    const claimed = await timed('claims', () =>
      store.queue.claim({ owner: 'bench', leaseMs, now: Date.now(), most: 200, mostBytes: 2 ** 26, wants }),
    )
    const leases = claimed.map(({ delivery }) => ({ deliveryId: delivery.id, epoch: delivery.leaseEpoch }))
    await timed('renewals', () => store.queue.renew({ owner: 'bench', leaseMs, now: Date.now(), leases }))
    await timed('marks', () => store.queue.mark({ owner: 'bench', now: Date.now(), marks: claimed.map(delivered) }))
    if (!isCounted) count += claimed.length
  }
  return {
    perSecond: (1_000 * count) / busyMs,
    hotClaims: median(hot.claims),
    hotRenewals: median(hot.renewals),
    hotMarks: median(hot.marks),
    tableMb,
    tableAfterMb: await megabytes(db, 'pg_table_size'),
    indexesMb: await megabytes(db, 'pg_indexes_size'),
  }
}

function median(values) {
  return Math.round(percentile(values, 0.5))
}

/** A connection tells of its updates at the latest when it ends. */
async function updates(store, db) {
  await store.close()
  await store.open()
  const { rows } = await db.query(
    `select n_tup_upd::integer as all, n_tup_hot_upd::integer as hot from pg_stat_user_tables where relid = '${table}'::regclass`,
  )
  return rows[0]
}

async function megabytes(db, size) {
  const { rows } = await db.query(`select round(${size}('${table}') / 1048576.0)::integer as mb`)
  return rows[0].mb
}
