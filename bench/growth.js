// What a claim costs when the table has grown: with its commit on disk, and without the wait for the disk.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { percentile, print, scratch } from './common.js'

const million = 1_000_000
const claims = 200
const perClaim = 60
const asked = 20

/** Resolves with the slowest claim of each, the wait for the disk included: p99, in ms. */
export async function growth() {
  return [
    await measure('10 M rows of history', { rows: 10 * million, status: 'delivered' }),
    await measure('1 M due rows', { rows: million, status: 'pending' }),
    await measure('1 M due rows behind one blocked endpoint', { rows: million, status: 'pending', others: 1 }),
    await measure('100,000 due rows of 10,000 other endpoints', { rows: 100_000, status: 'pending', others: 10_000 }),
  ]
}

async function measure(name, grown) {
  const { folder, remove } = scratch()
  const file = join(folder, 'bench.db')
  const posthorn = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.1'] })
  const endpointIds = []
  for (let index = 0; index < asked; index += 1) {
    endpointIds.push((await posthorn.endpoints.create({ application: 'acme', url: 'http://127.0.0.1:9/hook' })).id)
  }
  const db = new DatabaseSync(file)
  fill(db, endpointIds, grown)
  fill(db, endpointIds, { rows: 100_000, status: 'pending' })
  db.close()
  await posthorn.stop()

  const full = await claimTimes(file, 'full', endpointIds)
  const off = await claimTimes(file, 'off', endpointIds)
  print(
    `claim of ${perClaim}, ${name}`,
    shown(off, 0.99),
    `p99 (p50 ${shown(off, 0.5)}); with fsync p99 ${shown(full, 0.99)} (p50 ${shown(full, 0.5)})`,
  )
  remove()
  return percentile(full, 0.99)
}

async function claimTimes(file, synchronous, endpointIds) {
  const store = sqlite(file, { synchronous })
  await store.open()
  const wants = endpointIds.map((endpointId) => ({ endpointId, lane: 'fresh', most: perClaim / asked }))
  const times = []
  for (let count = 0; count < claims; count += 1) {
    const startedAt = performance.now()
    const claimed = await store.queue.claim({
      owner: 'bench',
      leaseMs: 3_600_000,
      now: Date.now(),
      most: perClaim,
      mostBytes: 2 ** 26,
      wants,
    })
    times.push(performance.now() - startedAt)
    if (claimed.length !== perClaim) throw new Error(`claimed ${claimed.length} of ${perClaim}`)
    // As in life, what is claimed is soon delivered: it does not stay at the head of the queue.
    await store.queue.mark({ owner: 'bench', now: Date.now(), marks: claimed.map(delivered) })
  }
  await store.close()
  return times
}

function delivered({ delivery: { id, endpointId, leaseEpoch } }) {
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null }
  return { deliveryId: id, epoch: leaseEpoch, endpointId, mark, attempt: null }
}

function shown(times, share) {
  return `${percentile(times, share).toFixed(1)} ms`
}

/** Inserts deliveries of one small message, spread over the endpoints, or over so many others that are never asked. */
export function fill(db, endpointIds, { rows, status, others = 0 }) {
  const run = `${status}${others > 0 ? 'b' : 'a'}${rows}`
  const endpointOf =
    others > 0
      ? `printf('ep_other%05d', n % ${others})`
      : `(select value from json_each(?) where key = n % ${endpointIds.length})`
  const given = others > 0 ? [] : [JSON.stringify(endpointIds)]
  const times = status === 'delivered' ? 'null, 1000' : '1000, null'
  db.exec('begin')
  db.prepare('insert or ignore into posthorn_messages (id, type, body) values (?, ?, ?)').run(
    'msg_bench',
    'invoice.paid',
    Buffer.from('{}'),
  )
  db.prepare(
    `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${rows - 1})
     insert into webhook_deliveries (id, webhook_id, message_id, event_type, status, next_retry_at, last_attempted_at)
     select printf('dlv_%s%012d', '${run}', n), ${endpointOf}, 'msg_bench', 'invoice.paid', '${status}', ${times} from counter`,
  ).run(...given)
  db.exec('commit')
}
