import { moreReceipts } from '../faults.js'
import { pause, within } from '../processes.js'
import { makeSmallDisk } from '../small-disk.js'
import { dense } from '../traffic.js'

// `send` may say no in these words only; anything else is not an answer that a caller can act on.
const honestCodes = new Set(['store_full', 'store_failed', 'outcome_unknown', 'overloaded'])
const refusalsWanted = 5

/** The disk is full, and then freed: `send` says no, nobody ends, and it goes on by itself. */
export const disk = {
  name: 'disk',
  leaseMs: 2_000,
  rounds: 2,
  traffic: dense,
  makeDisk: ({ store }) => makeSmallDisk(store),
  title: ({ workers, rounds, disk: { name } }) => `${workers} workers, ${rounds} times full: ${name}`,
  async run(scene) {
    const { faults, given, stage } = scene
    for (let round = 1; round <= given.rounds; round += 1) {
      await moreReceipts(scene, 50)
      const at = performance.now()
      const target = { pid: stage.workers[0].pid, file: stage.file }
      given.disk.fillUp(target)
      await within(
        60_000,
        '`send` to say that the disk is full',
        () => rejectionsSince(scene, at).length >= refusalsWanted,
      )
      await pause(given.leaseMs)
      given.disk.free(target)
      const endedAt = performance.now()
      faults.push({ kind: 'outage', name: `disk full, ${rejectionsSince(scene, at).length} refused`, at, endedAt })
      await within(60_000, '`send` to be accepted again', () =>
        [...stage.notes.accepted.values()].some((acceptedAt) => acceptedAt > endedAt),
      )
    }
  },
  async judge({ stage }) {
    const codes = new Set(stage.notes.rejections.map(({ code }) => code))
    const integrity = stage.integrity === null ? 'ok' : await stage.integrity()
    return {
      lines: [
        `refused with: ${[...codes].join(', ')}`,
        ...(stage.integrity === null ? [] : [`integrity_check: ${integrity}`]),
      ],
      problems: [
        ...[...codes].filter((code) => !honestCodes.has(code)).map((code) => `\`send\` was refused with "${code}"`),
        ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
      ],
    }
  },
}

function rejectionsSince({ stage }, at) {
  return stage.notes.rejections.filter((rejection) => rejection.at > at)
}
