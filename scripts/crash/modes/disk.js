import { moreReceipts } from '../faults.js'
import { pause, within } from '../processes.js'
import { makeSmallDisk } from '../small-disk.js'
import { dense } from '../traffic.js'

// `send` may refuse with these codes only; a caller cannot act on anything else.
const honestCodes = new Set(['store_full', 'store_failed', 'outcome_unknown', 'overloaded'])
const refusalsWanted = 5

/** The disk is full, and then freed: `send` refuses, no process ends, and everything recovers by itself. */
export const disk = {
  name: 'disk',
  leaseMs: 2_000,
  rounds: 2,
  traffic: dense,
  makeDisk: ({ store }) => makeSmallDisk(store),
  title: ({ workers, rounds, disk: { name } }) => `${workers} workers, ${rounds} times full: ${name}`,
  async run(context) {
    const { faults, given, system } = context
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(context, 50)
      const at = performance.now()
      const target = { pid: system.workers[0].pid, file: system.file }
      given.disk.fillUp(target)
      await within(
        60_000,
        '`send` to say that the disk is full',
        () => rejectionsSince(context, at).length >= refusalsWanted,
      )
      await pause(given.leaseMs)
      given.disk.free(target)
      const endedAt = performance.now()
      faults.push({ kind: 'outage', name: `disk full, ${rejectionsSince(context, at).length} refused`, at, endedAt })
      await within(60_000, '`send` to be accepted again', () =>
        [...system.notes.accepted.values()].some((acceptedAt) => acceptedAt > endedAt),
      )
    }
  },
  async judge({ system }) {
    const codes = new Set(system.notes.rejections.map(({ code }) => code))
    const integrity = system.integrity === null ? 'ok' : await system.integrity()
    return {
      lines: [
        `refused with: ${[...codes].join(', ')}`,
        ...(system.integrity === null ? [] : [`integrity_check: ${integrity}`]),
      ],
      problems: [
        ...[...codes].filter((code) => !honestCodes.has(code)).map((code) => `\`send\` was refused with "${code}"`),
        ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
      ],
    }
  },
}

function rejectionsSince({ system }, at) {
  return system.notes.rejections.filter((rejection) => rejection.at > at)
}
