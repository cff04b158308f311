// Speed as ratios within one run: absolute figures move by a third between runs of the same machine.
//   npm run bench                                    library and HTTP face on both databases, full and light load, CPU by thread (under three minutes)
//   npm run bench -- --against COMMIT                the same in turns with that commit, and the bars; --runs N and --seconds S make it shorter
//   npm run bench -- --all                           also growth and peers
//   npm run bench -- --peers                          the library on PostgreSQL beside pg-boss, graphile-worker and BullMQ, each with fetch
//   npm run bench -- --store sqlite                  the engine alone, beside the HTTP client alone; --growth also with millions of rows
//   npm run bench -- --store postgres                the same on PostgreSQL: in one process, and with workers beside the sender
//   npm run bench -- --store postgres --growth       claims on tables of up to ten million rows; --explain shows their plans
//   npm run bench -- --store postgres --upkeep       room on the pages, and two ways to forget history
//   npm run bench -- --http                          accepting messages over HTTP, against a bare hono route; with a million of them
//   npm run bench -- --dashboard                     every page on a million deliveries, the palette, and the live tail at 500 events/s, with their bars
//                                  … --seconds 3600  the live tail for an hour instead of 30 s
//   npm run bench -- --watched                       what metrics and the log cost, in turns with neither; a scrape with 10,000 endpoints
//   npm run bench -- --totals                        the limits of a whole process: requests open at once, retries per tick
//   npm run bench -- --parts                         what engine, store and HTTP client cost, each by itself
//   npm run bench -- --neighbours                    a healthy tenant beside ten bad ones, one after the other (half an hour)
//                                  … --case 5        only that one; --runs N and --seconds S make it shorter, --json FILE writes all figures
//                                  … --against HEAD~ also a tenant alone with large bodies, in turns with that commit
//                                  … --scale 0.1     for a quick look: a tenth of the rows
import { parseArgs } from 'node:util'
import { bareDispatch, bareRequest } from './bare.js'
import { print, startReceiver, whole } from './common.js'
import { engineOnSqlite } from './engine.js'
import { growth } from './growth.js'
import { acceptOverHttp } from './http.js'

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    http: { type: 'boolean', default: false },
    dashboard: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    upkeep: { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    scale: { type: 'string', default: '1' },
    watched: { type: 'boolean', default: false },
    totals: { type: 'boolean', default: false },
    parts: { type: 'boolean', default: false },
    neighbours: { type: 'boolean', default: false },
    case: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string' },
    against: { type: 'string' },
    peers: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
})
if (!['sqlite', 'postgres', undefined].includes(values.store)) {
  console.error(`Expected --store to be sqlite or postgres, got "${values.store}".`)
  process.exit(2)
}
const { seconds = '4' } = values
if (values.http) await acceptOverHttp(Number(values.scale))
else if (values.dashboard) await onDashboard()
else if (values.watched) await (await import('./watched.js')).watched()
else if (values.totals) await (await import('./totals/main.js')).totals()
else if (values.parts) await (await import('./parts.js')).parts()
else if (values.neighbours)
  await (await import('./neighbours/main.js')).neighbours({ ...values, runs: values.runs ?? '5', seconds })
else if (values.peers) await (await import('./peers.js')).peers()
else if (values.store === undefined && !values.growth)
  await (await import('./overall/main.js')).overall({ ...values, runs: values.runs ?? '3', seconds })
else if (values.store === 'postgres' && (values.growth || values.upkeep)) await grownOnPostgres()
else await endToEnd()

async function onDashboard() {
  const { dashboard } = await import('./dashboard.js')
  await dashboard(Number(values.scale), values.seconds === undefined ? undefined : Number(values.seconds))
}

async function endToEnd() {
  const receiver = await startReceiver()
  try {
    await compare(receiver)
  } finally {
    receiver.stop()
  }
}

async function compare(receiver) {
  const dispatch = await bareDispatch(receiver.port)
  print(
    'bare undici dispatch, signed',
    `${whole(dispatch.perSecond)}/s`,
    `best with ${dispatch.connections} connections`,
  )
  const request = await bareRequest(receiver.port)
  print('bare undici request, signed', `${whole(request.perSecond)}/s`, `best with ${request.connections} connections`)
  const bare = { dispatch, request }

  if (values.store === 'postgres') await onPostgres(receiver, bare)
  else await onSqlite(receiver, bare)
}

async function onSqlite(receiver, bare) {
  const engine = await engineOnSqlite(receiver)
  printEngine(
    'posthorn on SQLite, end to end',
    engine,
    bare,
    'send → stored (FULL) → delivered → marked, messages coming in',
  )
  if (values.growth) await growth()
}

async function onPostgres(receiver, bare) {
  const { engineOnPostgres, startPostgres, workersOnPostgres } = await import('./postgres.js')
  const server = await startPostgres()
  try {
    const engine = await engineOnPostgres(server.url, receiver)
    printEngine(
      'posthorn on PostgreSQL, one process',
      engine,
      bare,
      'send → stored (fsync) → delivered → marked, messages coming in',
    )
    for (const count of [1, 2]) {
      const { shares, ...workers } = await workersOnPostgres(server.url, receiver, count)
      const shown = shares.map((share) => `${(100 * share).toFixed(0)} %`).join(', ')
      printEngine(
        `${count} worker${count === 1 ? '' : 's'}, and a sender beside`,
        workers,
        bare,
        `the same, each in its own process; share of each: ${shown}`,
      )
    }
  } finally {
    await server.stop()
  }
}

async function grownOnPostgres() {
  const { startPostgres } = await import('./postgres.js')
  const { growthOnPostgres } = await import('./postgres-growth.js')
  const { pruneOnPostgres } = await import('./postgres-prune.js')
  const { upkeepOnPostgres } = await import('./postgres-upkeep.js')
  const scale = Number(values.scale)
  const server = await startPostgres()
  try {
    if (values.growth) await growthOnPostgres(server.url, { scale, explained: values.explain })
    if (values.upkeep) await upkeepOnPostgres(server.url)
    if (values.upkeep) await pruneOnPostgres(server.url, scale)
  } finally {
    await server.stop()
  }
}

function printEngine(name, engine, { dispatch, request }, note) {
  print(name, `${whole(engine.perSecond)}/s`, note)
  print('  of bare dispatch', `${((100 * engine.perSecond) / dispatch.perSecond).toFixed(1)} %`)
  print('  of bare request', `${((100 * engine.perSecond) / request.perSecond).toFixed(1)} %`)
  print('  send to receipt at 200/s, p50', `${engine.p50Ms.toFixed(2)} ms`)
  print('  send to receipt at 200/s, p99', `${engine.p99Ms.toFixed(2)} ms`)
  if (engine.rssMb !== undefined) print('  memory', `${whole(engine.rssMb)} MB`)
}
