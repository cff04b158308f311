import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { deliversAgain, moreReceipts } from '../faults.js'
import { mixed } from '../traffic.js'

/** A worker is stopped for two leases (SIGSTOP), and then continues as if nothing had happened. */
export const stop = {
  name: 'stop',
  leaseMs: 2_000,
  rounds: 2,
  traffic: mixed,
  title: ({ workers, rounds, leaseMs }) =>
    `${workers} workers, ${rounds} times one is stopped for over ${2 * leaseMs} ms`,
  async run(context) {
    const { faults, given, random, system } = context
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(context, 30)
      const worker = system.workers[random.index(system.workers.length)]
      const at = performance.now()
      await stopFor(2 * given.leaseMs + 2 * given.pollMs, worker.pid)
      faults.push({ kind: 'stop', name: `SIGSTOP of ${worker.name}`, at, endedAt: performance.now(), pid: worker.pid })
      await deliversAgain(context, worker)
    }
  },
}

/** A separate process wakes it up: if this one is killed meanwhile, nobody else would, and a stopped process cannot end. */
async function stopFor(ms, pid) {
  const waker = spawn('sh', ['-c', `sleep ${ms / 1_000}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' })
  await once(waker, 'spawn')
  process.kill(pid, 'SIGSTOP')
  await once(waker, 'exit')
}
