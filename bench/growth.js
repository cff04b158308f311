// What a claim costs when the table has grown: the statement, without the commit's fsync, and the whole call.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { percentile, print, scratch } from './common.js'

const million = 1_000_000
const claims = 300

export async function growth() {
  await measure('1 M rows of history', { rows: million, status: 'delivered', endpoints: 100 })
  await measure('1 M due rows', { rows: million, status: 'pending', endpoints: 100 })
  await measure('1 M due rows behind one blocked endpoint', { rows: million, status: 'pending', endpoints: 1, blocked: true })
}

async function measure(name, grown) {
  const { folder, remove } = scratch()
  const file = join(folder, 'bench.db')
  const store = sqlite(file)
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  const asked = []
  for (let index = 0; index < 20; index += 1) {
    asked.push((await posthorn.endpoints.create({ application: 'acme', url: `http://127.0.0.1:9/hook` })).id)
  }
  const db = new DatabaseSync(file)
  fill(db, asked, grown)
  fill(db, asked, { rows: 100_000, status: 'pending', endpoints: 20 })

  const tookMs = []
  for (let count = 0; count < claims; count += 1) {
    const wants = asked.slice(0, 20).map((endpointId) => ({ endpointId, lane: 'fresh', most: 3 }))
    const startedAt = performance.now()
    const claimed = await store.queue.claim({ owner: 'bench', leaseMs: 30_000, now: Date.now(), most: 60, mostBytes: 2 ** 26, wants })
    tookMs.push(performance.now() - startedAt)
    if (claimed.length !== 60) throw new Error(`claimed ${claimed.length} of 60`)
  }
  const walkedAt = performance.now()
  await store.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 500 })
  const walkMs = performance.now() - walkedAt
  print(`claim of 60, ${name}`, `${percentile(tookMs, 0.99).toFixed(1)} ms`, `p99, commit included; p50 ${percentile(tookMs, 0.5).toFixed(1)} ms; walk ${walkMs.toFixed(1)} ms`)
  db.close()
  await posthorn.stop()
  remove()
}

function fill(db, asked, { rows, status, endpoints, blocked = false }) {
  const prefix = blocked ? 'ep_blocked' : 'ep'
  const run = Math.random().toString(36).slice(2, 8)
  const endpointOf = blocked ? `'ep_blocked'` : `(select value from json_each(?) where key = n % ${Math.min(endpoints, asked.length)})`
  const given = blocked ? [] : [JSON.stringify(asked)]
  db.exec('begin')
  db.prepare('insert or ignore into posthorn_messages (id, application_id, type, body, created_at) values (?, ?, ?, ?, ?)').run(`msg_bench${prefix}`, '', 'invoice.paid', Buffer.from('{}'), 1)
  db.prepare(
    `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${rows - 1})
     insert into webhook_deliveries (id, webhook_id, message_id, event_type, status, next_retry_at, last_attempted_at, created_at, updated_at)
     select printf('dlv_%s%012d', '${run}', n), ${endpointOf}, 'msg_bench${prefix}', 'invoice.paid', '${status}',
            ${status === 'delivered' ? 'null' : 1000}, ${status === 'delivered' ? 1000 : 'null'}, 1, 1 from counter`,
  ).run(...given)
  db.exec('commit')
}
