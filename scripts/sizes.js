// What a delivery costs in bytes and CPU, by the size of its body and the number of endpoints: npm run build && node scripts/sizes.js
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { scratch, startReceiver } from '../bench/common.js'
import { startPostgres } from '../bench/postgres.js'
import { treeUs } from '../bench/wire/cpu.js'

const deliveries = Number(process.argv[2] ?? 60_000)
const cases = [
  { bodyBytes: 1_024, endpoints: 1 },
  { bodyBytes: 256, endpoints: 1 },
  { bodyBytes: 1_024, endpoints: 10 },
]
const mostOpen = 500
const application = 'acme'

const receiver = await startReceiver()
const server = await startPostgres()
try {
  for (const one of cases) print('SQLite', one, await onSqlite(one))
  for (const [index, one] of cases.entries()) print('PostgreSQL', one, await onPostgres(one, `sizes_${index}`))
} finally {
  await server.stop()
  receiver.stop()
}

async function onSqlite(one) {
  const { folder, remove } = scratch()
  const file = join(folder, 'sizes.db')
  try {
    const before = await writtenByThisProcess()
    const { cpuUs, databaseUs } = await run(sqlite(file), one, () => 0)
    return { cpuUs, databaseUs, stored: statSync(file).size, written: (await writtenByThisProcess()) - before }
  } finally {
    remove()
  }
}

async function onPostgres(one, schema) {
  const pool = new Pool({ connectionString: server.url })
  const ask = async (sql) => Number((await pool.query(sql)).rows[0].value)
  const written = () => ask(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as value`)
  const stored = () =>
    ask(
      `select coalesce(sum(pg_total_relation_size(oid)), 0) as value from pg_class
       where relkind = 'r' and relnamespace = to_regnamespace('${schema}')`,
    )
  try {
    const before = await written()
    const store = postgres(server.url, { schema, plaintextSecrets: true })
    const used = await run(store, one, () => treeUs(server.pid))
    return { ...used, stored: await stored(), written: (await written()) - before }
  } finally {
    await pool.end()
  }
}

/** Sends until so many deliveries have ended, and answers with the CPU that this process and the database took for them. */
async function run(store, { bodyBytes, endpoints }, databaseUsedUs) {
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  await posthorn.start()
  const url = `http://127.0.0.1:${receiver.port}/hook`
  for (let index = 0; index < endpoints; index += 1) await posthorn.endpoints.create({ application, url })
  const messages = deliveries / endpoints
  const before = { own: process.cpuUsage(), database: databaseUsedUs() }
  await new Promise((resolve, reject) => {
    let sent = 0
    let delivered = 0
    const send = () => {
      sent += 1
      posthorn.send({ application, type: 'invoice.paid', payload: bodyOf(bodyBytes, sent) }).catch(reject)
    }
    posthorn.on('delivery.delivered', () => {
      delivered += 1
      if (delivered === deliveries) resolve()
      else if (delivered % endpoints === 0 && sent < messages) send()
    })
    for (let index = 0; index < mostOpen / endpoints; index += 1) send()
  })
  const { user, system } = process.cpuUsage(before.own)
  // Before connections are closed: what a process of the database has used is counted only while it is there.
  const databaseUs = databaseUsedUs() - before.database
  await posthorn.stop()
  return { cpuUs: user + system, databaseUs }
}

/** JSON of exactly so many bytes, different in each message. */
function bodyOf(bytes, number) {
  const head = `{"id":${number},"text":"`
  return `${head.padEnd(bytes - 2, 'x')}"}`
}

async function writtenByThisProcess() {
  return Number(/^write_bytes: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))[1])
}

function print(database, { bodyBytes, endpoints }, { cpuUs, databaseUs, stored, written }) {
  console.log(
    `${database}, ${bodyBytes} bytes to ${endpoints}: per delivery ${each(stored)} bytes kept, ${each(written)} written, ` +
      `${each(cpuUs)} µs of CPU, ${each(databaseUs)} µs of the database's`,
  )
}

function each(value) {
  return Math.round(value / deliveries).toLocaleString('en-US')
}
