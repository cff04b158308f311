// Two ways to forget attempts on PostgreSQL: in batches, as the pruner does, or a partition at a time.
import { percentile, print, seconds, whole } from './common.js'
import { claimAndMark, fill, grownWorld, schema } from './postgres-growth.js'

const biteRows = 1_000
const partitions = 30
const batchRows = 200
const batches = 200

/** `scale` 1 is a million attempts. */
export async function pruneOnPostgres(url, scale) {
  const world = await grownWorld(url)
  try {
    await inBatches(world, Math.ceil(1_000_000 * scale))
    await insertsAndDrop(world)
  } finally {
    await world.close()
  }
}

async function inBatches(world, rows) {
  const { db, store } = world
  await fill(world, [
    { rows, status: 'delivered', id: `'dlv_0' || lpad(n::text, 17, '0')` },
    { rows: 100_000, status: 'pending' },
  ])
  await db.query(`insert into ${schema}.attempts (delivery_id, epoch, started_at, took_ms, outcome, status_code, url)
    select id, 1, 1, 5, 'answered', 200, 'http://127.0.0.1:9/hook' from ${schema}.webhook_deliveries where status = 'delivered'`)
  const quiet = await claimTimes(world, 100)
  let [forgotten, perSecond, running] = [0, 0, true]
  const startedAt = performance.now()
  const pruning = (async () => {
    while (running) {
      const count = await store.queue.prune({ before: Date.now() + 86_400_000, limit: biteRows })
      forgotten += count
      perSecond = forgotten / seconds(startedAt)
      if (count === 0) return
    }
  })()
  const busy = await claimTimes(world, 200)
  running = false
  await pruning
  print(
    `deliveries with attempt, pruned in batches`,
    `${whole(perSecond)}/s`,
    `beside claims: ${shown(busy)}; without: ${shown(quiet)}`,
  )
}

function shown(times) {
  return `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`
}

async function claimTimes(world, count) {
  const times = []
  for (let index = 0; index < count; index += 1) times.push(await claimAndMark(world, world.endpointIds))
  return times
}

function bound(part) {
  return `dlv_${String(part).padStart(3, '0')}`
}

/** The same rows into one table and into one of many partitions by time; then what it costs to drop one. */
async function insertsAndDrop({ db }) {
  const columns = `delivery_id text collate "C" not null, epoch integer not null, started_at bigint not null, took_ms integer not null,
    outcome text not null, status_code integer, excerpt text, url text not null, late integer not null default 0`
  await db.query(`create table ${schema}.whole (${columns}, primary key (delivery_id, epoch))`)
  // Ids begin with their time, so the partitions can be ranges of the key itself.
  await db.query(
    `create table ${schema}.parted (${columns}, primary key (delivery_id, epoch)) partition by range (delivery_id)`,
  )
  for (let part = 0; part < partitions; part += 1) {
    await db.query(
      `create table ${schema}.parted_${part} partition of ${schema}.parted for values from ('${bound(part)}') to ('${bound(part + 1)}')`,
    )
  }
  const times = { whole: [], parted: [] }
  for (let batch = 0; batch < batches; batch += 1) {
    for (const name of ['whole', 'parted']) {
      const startedAt = performance.now()
      await db.query({
        name: `into ${name}`,
        text: `insert into ${schema}.${name} as a (delivery_id, epoch, started_at, took_ms, outcome, status_code, url)
          select 'dlv_' || lpad(($1 % ${partitions})::text, 3, '0') || lpad((n + $1 * 1000)::text, 14, '0'), 1, 1, 5, 'answered', 200, 'http://127.0.0.1:9/hook'
          from generate_series(1, ${batchRows}) as n
          on conflict (delivery_id, epoch) do update set late = a.late`,
        values: [batch],
      })
      times[name].push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await db.query(`drop table ${schema}.parted_0`)
  const dropMs = performance.now() - startedAt
  const p50 = (name) => `${percentile(times[name], 0.5).toFixed(2)} ms`
  print(
    `insert of ${batchRows} attempts into one of ${partitions} partitions`,
    p50('parted'),
    `into one table ${p50('whole')}; to drop a partition ${dropMs.toFixed(1)} ms`,
  )
}
