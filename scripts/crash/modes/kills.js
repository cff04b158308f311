import { replaceWorker, moreReceipts } from '../faults.js'
import { pause } from '../processes.js'
import { dense } from '../traffic.js'

/** Kills and restarts at random instants. On SQLite, restarting the database means an orderly restart of the process that has it open. */
export const kills = {
  name: 'kills',
  leaseMs: 2_000,
  traffic: dense,
  // While the database is away a starting worker may exit; its supervisor starts it again.
  mayEnd: true,
  title: ({ workers, kills: killCount, restarts }) =>
    `${workers} workers, ${killCount} kills, ${restarts} restarts of the database`,
  async run(context) {
    const { given, random, system } = context
    const order = random.shuffled([...Array(given.kills).fill('kill'), ...Array(given.restarts).fill('restart')])
    for (const kind of order) {
      await moreReceipts(context, 50)
      await pause(random.between(300, 1_000))
      const victim = random.index(system.workers.length)
      if (kind === 'kill') await replaceWorker(context, victim)
      else if (given.store === 'postgres') await crashDatabase(context)
      else await restartEngine(context)
    }
  },
}

async function crashDatabase({ faults, random, system }) {
  const downMs = Math.floor(random.between(0, 1_000))
  const at = performance.now()
  await system.crashDatabase(downMs)
  faults.push({ kind: 'outage', name: `crash of the database, down for ${downMs} ms`, at, endedAt: performance.now() })
}

async function restartEngine({ faults, system }) {
  const [engine] = system.workers
  const at = performance.now()
  await engine.end('SIGTERM')
  faults.push({ kind: 'orderly', name: 'orderly restart of the engine', at, endedAt: performance.now() })
  await engine.ready()
}
