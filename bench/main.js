// Speed as ratios within one run: absolute figures move by a third between runs of the same machine.
//   npm run bench                the HTTP client alone, the engine on SQLite, and how they compare (about a minute)
//   npm run bench -- --growth    also with millions of rows (a few minutes)
import { parseArgs } from 'node:util'
import { bareDispatch, bareRequest } from './bare.js'
import { print, startReceiver, whole } from './common.js'
import { engineOnSqlite } from './engine.js'
import { growth } from './growth.js'

const { values } = parseArgs({ options: { growth: { type: 'boolean', default: false } } })
const receiver = await startReceiver()
try {
  const dispatch = await bareDispatch(receiver.port)
  print('bare undici dispatch, signed', `${whole(dispatch.perSecond)}/s`, `best with ${dispatch.connections} connections`)
  const request = await bareRequest(receiver.port)
  print('bare undici request, signed', `${whole(request.perSecond)}/s`, `best with ${request.connections} connections`)

  const engine = await engineOnSqlite(receiver)
  print('posthorn on SQLite, end to end', `${whole(engine.perSecond)}/s`, 'send → stored (FULL) → delivered → marked, messages coming in')
  print('  of bare dispatch', `${((100 * engine.perSecond) / dispatch.perSecond).toFixed(1)} %`)
  print('  of bare request', `${((100 * engine.perSecond) / request.perSecond).toFixed(1)} %`)
  print('  send to receipt at 200/s, p50', `${engine.p50Ms.toFixed(2)} ms`)
  print('  send to receipt at 200/s, p99', `${engine.p99Ms.toFixed(2)} ms`)
  print('  memory', `${whole(engine.rssMb)} MB`)
  if (values.growth) await growth()
} finally {
  receiver.stop()
}
