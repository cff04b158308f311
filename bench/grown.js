// Deliveries per second with ten million rows of history, and to ten thousand endpoints, beside a small database; in turns.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Client } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { data, percentile, print, scratch, seconds, startReceiver, whole } from './common.js'
import { fill } from './growth.js'
import { fill as fillOnPostgres, schema as grownSchema } from './postgres-growth.js'

const rows = 10_000_000
const few = 10
const many = 10_000
const open = 200
const together = 100
const runs = 3
const runMs = 5_000
const mostWarmUpMs = 15_000

/** Resolves with the largest part of its deliveries per second that a store loses; `url` is that of a PostgreSQL. */
export async function grownThroughput(url) {
  const { folder, remove } = scratch()
  const receiver = await startReceiver()
  try {
    const onSqlite = await lostOn('SQLite', receiver, worldsOnSqlite(folder))
    const onPostgres = await lostOn('PostgreSQL', receiver, worldsOnPostgres(url))
    return Math.max(onSqlite, onPostgres)
  } finally {
    receiver.stop()
    remove()
  }
}

function worldsOnSqlite(folder) {
  const storeAt = (name) => () => sqlite(join(folder, `${name}.db`))
  return {
    small: { store: storeAt('small'), endpoints: few },
    history: {
      store: storeAt('history'),
      endpoints: few,
      async prepare(endpointIds) {
        const db = new DatabaseSync(join(folder, 'history.db'))
        fill(db, endpointIds, { rows, status: 'delivered' })
        db.close()
      },
    },
    endpoints: { store: storeAt('endpoints'), endpoints: many },
  }
}

function worldsOnPostgres(url) {
  const storeIn = (schema) => () => postgres(url, { schema, plaintextSecrets: true })
  return {
    small: { store: storeIn('small'), endpoints: few },
    history: {
      store: storeIn(grownSchema),
      endpoints: few,
      async prepare(endpointIds) {
        const db = new Client({ connectionString: url })
        await db.connect()
        await fillOnPostgres({ db, endpointIds }, [{ rows, status: 'delivered' }])
        await db.end()
      },
    },
    endpoints: { store: storeIn('many'), endpoints: many },
  }
}

async function lostOn(name, { port }, worlds) {
  for (const world of Object.values(worlds)) await prepare(world, port)
  const measured = Object.fromEntries(Object.keys(worlds).map((world) => [world, []]))
  for (let run = 0; run < runs; run += 1)
    for (const [world, { store, endpoints }] of Object.entries(worlds))
      measured[world].push(await deliveredPerSecond(store(), endpoints))
  const { small, history, endpoints } = Object.fromEntries(
    Object.entries(measured).map(([world, each]) => [world, percentile(each, 0.5)]),
  )
  print(`library on ${name}`, `${whole(small)}/s`, `to ${few} endpoints`)
  print('  with 10 M rows of history', `${whole(history)}/s`, share(history, small))
  print(`  to ${whole(many)} endpoints`, `${whole(endpoints)}/s`, share(endpoints, small))
  return 1 - Math.min(history, endpoints) / small
}

function share(grown, small) {
  return `${((100 * grown) / small).toFixed(0)} %`
}

async function prepare({ store, endpoints, prepare: fillUp }, port) {
  const posthorn = new Posthorn({ store: store(), allowedTargets: ['127.0.0.1'] })
  const endpointIds = []
  for (let first = 0; first < endpoints; first += together) {
    const created = Array.from({ length: Math.min(together, endpoints - first) }, (_, index) =>
      posthorn.endpoints.create({ application: `app-${first + index}`, url: `http://127.0.0.1:${port}/hook` }),
    )
    for (const { id } of await Promise.all(created)) endpointIds.push(id)
  }
  await posthorn.stop()
  await fillUp?.(endpointIds)
}

/** As fast as they are delivered, to one endpoint after the other; measured once each has had a message. */
async function deliveredPerSecond(store, endpoints) {
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  let [sent, delivered, running] = [0, 0, true]
  const send = () => {
    void posthorn.send({ application: `app-${sent % endpoints}`, type: 'invoice.paid', data })
    sent += 1
  }
  posthorn.on('delivery.delivered', () => {
    delivered += 1
    if (running) setImmediate(send)
  })
  await posthorn.start()
  for (let index = 0; index < open; index += 1) send()
  const begunAt = performance.now()
  do await pause(2_000)
  while (delivered < endpoints && performance.now() - begunAt < mostWarmUpMs)
  const [before, startedAt] = [delivered, performance.now()]
  await pause(runMs)
  const perSecond = (delivered - before) / seconds(startedAt)
  running = false
  await posthorn.idle()
  await posthorn.stop()
  return perSecond
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
