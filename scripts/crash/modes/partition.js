import { deliversAgain, moreReceipts, pastTwoLeases } from '../faults.js'
import { mixed } from '../traffic.js'

/** A worker is cut off from PostgreSQL for two leases, but still reaches the endpoints: silently and with resets, in turns. */
export const partition = {
  name: 'partition',
  leaseMs: 2_000,
  rounds: 2,
  traffic: mixed,
  isProxied: true,
  refusal: ({ store }) =>
    store === 'sqlite'
      ? 'Expected --store to be postgres: SQLite is a file that its one process has open, so there is no connection to cut. See --disk for a store that refuses to write.'
      : null,
  title: ({ workers, rounds, leaseMs }) =>
    `${workers} workers, ${rounds} times one is cut off from the database for over ${2 * leaseMs} ms`,
  async run(context) {
    const { faults, given, random, system } = context
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(context, 30)
      const kind = round % 2 === 1 ? 'silent' : 'reset'
      const index = random.index(system.workers.length)
      const { name, pid } = system.workers[index]
      const at = performance.now()
      system.proxies[index].cutOff(kind)
      await pastTwoLeases(context)
      system.proxies[index].heal()
      faults.push({ kind: 'partition', name: `${name} cut off (${kind})`, at, endedAt: performance.now(), pid })
      await deliversAgain(context, system.workers[index])
    }
  },
}
