import { replaceWorker, moreReceipts } from '../faults.js'
import { pause } from '../processes.js'
import { dense } from '../traffic.js'

/** Kills and restarts at random instants. A restart of the database is, on SQLite, an orderly restart of the process that has it open. */
export const kills = {
  name: 'kills',
  leaseMs: 2_000,
  traffic: dense,
  // While the database is away a worker that starts may give up; its supervisor starts it again.
  mayEnd: true,
  title: ({ workers, kills: killCount, restarts }) =>
    `${workers} workers, ${killCount} kills, ${restarts} restarts of the database`,
  async run(scene) {
    const { given, random, stage } = scene
    const order = random.shuffled([...Array(given.kills).fill('kill'), ...Array(given.restarts).fill('restart')])
    for (const kind of order) {
      await moreReceipts(scene, 50)
      await pause(random.between(300, 1_000))
      const victim = random.index(stage.workers.length)
      if (kind === 'kill') await replaceWorker(scene, victim)
      else if (given.store === 'postgres') await crashDatabase(scene)
      else await restartEngine(scene)
    }
  },
}

async function crashDatabase({ faults, random, stage }) {
  const downMs = Math.floor(random.between(0, 1_000))
  const at = performance.now()
  await stage.crashDatabase(downMs)
  faults.push({ kind: 'outage', name: `crash of the database, down for ${downMs} ms`, at, endedAt: performance.now() })
}

async function restartEngine({ faults, stage }) {
  const [engine] = stage.workers
  const at = performance.now()
  await engine.end('SIGTERM')
  faults.push({ kind: 'orderly', name: 'orderly restart of the engine', at, endedAt: performance.now() })
  await engine.ready()
}
