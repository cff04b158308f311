import { startReceiver, data, body } from './common.js'
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { scratch } from './common.js'
const r = await startReceiver()
const { folder, remove } = scratch()
const store = sqlite(join(folder, 'bench.db'))
const st = { enq: 0, enqN: 0, leased: 0, claim: 0, claimN: 0, mark: 0, markN: 0, other: 0 }
const q = store.queue
const queue = { ...q,
 enqueue(r) { st.enq++; st.enqN += r.envelopes.length; for (const e of r.envelopes) for (const d of e.deliveries) if (d.leased) st.leased++; return q.enqueue(r) },
 async claim(r) { st.claim++; const c = await q.claim(r); st.claimN += c.length; return c },
 mark(r) { st.mark++; st.markN += r.marks.length; return q.mark(r) } }
const posthorn = new Posthorn({ store: { ...store, queue }, allowedTargets: ['127.0.0.1'] })
await posthorn.start()
const endpoints = 10
for (let i = 0; i < endpoints; i++) await posthorn.endpoints.create({ application: `app-${i}`, url: `http://127.0.0.1:${r.port}/hook` })
let sent = 0, delivered = 0, wake = null
posthorn.on('delivery.delivered', () => { delivered++; if (wake) { const w = wake; wake = null; w() } })
async function run(n, open) {
  const target = sent + n
  while (sent < target) {
    while (sent < target && sent - delivered < open) { const application = `app-${sent % endpoints}`; sent++; void posthorn.send({ application, type: 'invoice.paid', data }) }
    await new Promise((res) => (wake = res))
  }
  await posthorn.idle()
}
await run(10000, 1000)
for (const open of [500, 1000, 2000]) {
const c0 = process.cpuUsage(), t0 = performance.now()
const N = 30000
await run(N, open)
const c = process.cpuUsage(c0)
console.log(JSON.stringify(st)); for (const k in st) st[k] = 0
console.log(`open ${open}: cpu ${((c.user + c.system) / N).toFixed(1)} µs/delivery (user ${(c.user/N).toFixed(1)} sys ${(c.system/N).toFixed(1)}), wall ${((performance.now() - t0) * 1000 / N).toFixed(1)} µs`)
}
await posthorn.stop(); remove(); r.stop()
