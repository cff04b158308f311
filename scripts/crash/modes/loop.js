import { killWorker, moreReceipts } from '../faults.js'
import { pause } from '../processes.js'
import { mixed } from '../traffic.js'

/** A crash loop: kill after kill, lives shorter than a lease, endpoints fast and slow. The last life is long enough to end everything. */
export const loop = {
  name: 'loop',
  leaseMs: 6_000,
  traffic: mixed,
  title: ({ workers, loop: count, leaseMs }) =>
    `${workers} workers, ${count} kills in a loop, lives of ${seconds(0.2 * leaseMs)} to ${seconds(0.8 * leaseMs)} s`,
  async run(context) {
    const { given, random, system } = context
    const { length } = system.workers
    for (let kill = 0; kill < given.loop; kill += 1) {
      // In turns: even with several workers, none lives much longer than that.
      await system.workers[kill % length].ready()
      await pause((random.between(0.2, 0.8) * given.leaseMs) / length)
      await killWorker(context, kill % length)
    }
    await system.ready()
    // On a busy machine hardly anything may arrive in such short lives.
    await moreReceipts(context, 30)
  },
}

function seconds(ms) {
  return (ms / 1_000).toFixed(1)
}
