import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { deliversAgain, moreReceipts } from '../faults.js'
import { mixed } from '../traffic.js'

/** A worker stands still for two leases (SIGSTOP), and then goes on as if nothing had been. */
export const stop = {
  name: 'stop',
  leaseMs: 2_000,
  rounds: 2,
  traffic: mixed,
  title: ({ workers, rounds, leaseMs }) =>
    `${workers} workers, ${rounds} times one is stopped for over ${2 * leaseMs} ms`,
  async run(scene) {
    const { faults, given, random, stage } = scene
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(scene, 30)
      const worker = stage.workers[random.index(stage.workers.length)]
      const at = performance.now()
      await stopFor(2 * given.leaseMs + 2 * given.pollMs, worker.pid)
      faults.push({ kind: 'stop', name: `SIGSTOP of ${worker.name}`, at, endedAt: performance.now(), pid: worker.pid })
      await deliversAgain(scene, worker)
    }
  },
}

/** A process of its own wakes it up: if this one is killed meanwhile, nobody else would, and what stands still cannot end. */
async function stopFor(ms, pid) {
  const waker = spawn('sh', ['-c', `sleep ${ms / 1_000}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' })
  await once(waker, 'spawn')
  process.kill(pid, 'SIGSTOP')
  await once(waker, 'exit')
}
