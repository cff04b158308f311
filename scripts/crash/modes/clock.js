import { replaceWorker, moreReceipts } from '../faults.js'
import { mixed } from '../traffic.js'

const hourMs = 3_600_000

/**
 * Wrong clocks. On PostgreSQL every worker is an hour ahead, behind, or right, from start to end, and one message in eight is for later;
 * on SQLite the clock of the engine is set by an hour while it works, and it is killed before it is set back. Kills make leases change hands.
 */
export const clock = {
  name: 'clock',
  leaseMs: 2_000,
  rounds: 3,
  traffic: mixed,
  clockShiftsMs: [hourMs, -hourMs, 0],
  title: ({ workers, rounds }) => `${workers} workers whose clocks are up to an hour off, ${rounds} kills`,
  trafficOn: (store) => (store === 'postgres' ? { ...mixed, laterEvery: 8 } : mixed),
  async run(context) {
    const { given, system } = context
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(context, 30)
      const victim = round % system.workers.length
      if (given.store === 'sqlite') {
        system.workers[victim].send({ kind: 'clock', shiftMs: round % 2 === 1 ? hourMs : -hourMs })
        await moreReceipts(context, 30)
      }
      await replaceWorker(context, victim)
    }
  },
  /** Nothing may leave before its time, whatever a worker's clock says. */
  async judge({ receiver, system }) {
    const { notBefore } = system.notes
    const early = receiver.receipts.filter(({ id, wallAt }) => wallAt < (notBefore.get(id) ?? 0))
    return {
      lines: notBefore.size === 0 ? [] : [`for later ${notBefore.size} early ${early.length}`],
      problems: early.map(({ id, wallAt }) => `sent ${notBefore.get(id) - wallAt} ms too early: ${id}`),
    }
  },
}
