// Where the runs take place: receivers that stay, and for each run a fresh process on a fresh copy of a database.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '../common.js'
import { copyDatabase } from './database.js'
import { figuresOf } from './figures.js'
import { startNameServer } from './name-server.js'
import { hostsAt, nowMs, startProcess } from './wire.js'

const badHosts = 1_000
const warmUpMs = 3_000
const mostStragglerMs = 2_000
const betweenLooksMs = 20

export async function openStage() {
  const { folder, remove } = scratch()
  const healthy = startProcess('./receiver.js')
  const bad = startProcess('./receiver.js')
  const names = await startNameServer()
  const at = {
    healthyPort: await healthy.ask({ ask: 'listen', hosts: 0 }),
    badPort: await bad.ask({ ask: 'listen', hosts: badHosts }),
  }
  let runs = 0

  /** One run on a copy of the database. Its figures, and what was seen of the neighbour. */
  async function run(database, { dist, load, neighbour, needsNames = false, measureMs }) {
    runs += 1
    const copy = join(folder, `run-${runs}`)
    copyDatabase(database, copy)
    await Promise.all([healthy.ask({ ask: 'reset' }), bad.ask({ ask: 'reset' })])
    names.takeUnanswered()
    const tenants = startProcess('./tenants.js')
    try {
      const nameServerPort = needsNames ? names.port : null
      const outcome = await tenants.ask({
        ask: 'run',
        dist,
        folder: copy,
        nameServerPort,
        load,
        neighbour,
        warmUpMs,
        measureMs,
      })
      await untilReceived(healthy, outcome.sentAtMs.length)
      return await measured(outcome, { healthy, bad, names })
    } finally {
      await tenants.end()
      rmSync(copy, { recursive: true, force: true })
    }
  }

  return {
    at: { ...at, ...urlsAt(at.badPort) },
    folderFor: (name) => join(folder, name),
    run,
    async close() {
      names.stop()
      await Promise.all([healthy.end(), bad.end()])
      remove()
    },
  }
}

function urlsAt(badPort) {
  return {
    bad: (index, path) => `http://${hostsAt.bad(index)}:${badPort}${path}`,
    // The receiver has this port on its own addresses, so nobody else has it on all of them.
    dead: (index, path) => `http://${hostsAt.dead(index)}:${badPort}${path}`,
  }
}

async function measured(outcome, { healthy, bad, names }) {
  const endMs = nowMs()
  const own = await healthy.ask({ ask: 'report' })
  const other = await bad.ask({ ask: 'report' })
  const neighbour = { ...outcome.neighbour, ...own.counts, ...other.counts, unanswered: names.takeUnanswered() }
  return { ...figuresOf(outcome, own.receivedAtMs, endMs), neighbour }
}

/** What was sent last may be on its way. */
async function untilReceived(receiver, sent) {
  const endsAt = performance.now() + mostStragglerMs
  while (performance.now() < endsAt && (await receiver.ask({ ask: 'received' })) < sent) await pause(betweenLooksMs)
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
