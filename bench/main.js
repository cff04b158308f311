// Speed as ratios within one run: absolute figures move by a third between runs of the same machine.
//   npm run bench                                    the HTTP client alone, the engine on SQLite, and how they compare (about a minute)
//   npm run bench -- --growth                        also with millions of rows (a few minutes)
//   npm run bench -- --store postgres                the same on PostgreSQL: in one process, and with workers beside the sender
//   npm run bench -- --store postgres --growth       also claims and upkeep of grown tables
import { parseArgs } from 'node:util'
import { bareDispatch, bareRequest } from './bare.js'
import { print, startReceiver, whole } from './common.js'
import { engineOnSqlite } from './engine.js'
import { growth } from './growth.js'

const { values } = parseArgs({ options: { store: { type: 'string', default: 'sqlite' }, growth: { type: 'boolean', default: false } } })
if (!['sqlite', 'postgres'].includes(values.store)) {
  console.error(`Expected --store to be sqlite or postgres, got "${values.store}".`)
  process.exit(2)
}
const receiver = await startReceiver()
try {
  const dispatch = await bareDispatch(receiver.port)
  print('bare undici dispatch, signed', `${whole(dispatch.perSecond)}/s`, `best with ${dispatch.connections} connections`)
  const request = await bareRequest(receiver.port)
  print('bare undici request, signed', `${whole(request.perSecond)}/s`, `best with ${request.connections} connections`)
  const bare = { dispatch, request }

  if (values.store === 'postgres') await onPostgres(bare)
  else await onSqlite(bare)
} finally {
  receiver.stop()
}

async function onSqlite(bare) {
  const engine = await engineOnSqlite(receiver)
  printEngine('posthorn on SQLite, end to end', engine, bare, 'send → stored (FULL) → delivered → marked, messages coming in')
  if (values.growth) await growth()
}

async function onPostgres(bare) {
  const { engineOnPostgres, startPostgres, workersOnPostgres } = await import('./postgres.js')
  const server = await startPostgres()
  try {
    const engine = await engineOnPostgres(server.url, receiver)
    printEngine('posthorn on PostgreSQL, one process', engine, bare, 'send → stored (fsync) → delivered → marked, messages coming in')
    for (const count of [1, 2]) {
      const { shares, ...workers } = await workersOnPostgres(server.url, receiver, count)
      const shown = shares.map((share) => `${(100 * share).toFixed(0)} %`).join(', ')
      printEngine(`${count} worker${count === 1 ? '' : 's'}, and a sender beside`, workers, bare, `the same, each in its own process; share of each: ${shown}`)
    }
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
