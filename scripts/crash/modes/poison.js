import { moreReceipts } from '../faults.js'
import { isSoWithin, pause, within } from '../processes.js'
import { mixed } from '../traffic.js'

const crashesToDeath = 5
// Only then is it a suspect, whose attempts are recorded before they are sent.
const sendsBeforeBlame = 2

/** One delivery that crashes its worker each time it is sent, among innocent ones to the same endpoint. It alone may end dead, or stay open. */
export const poison = {
  name: 'poison',
  leaseMs: 2_000,
  rounds: 3,
  traffic: mixed,
  delayMs: 0,
  title: ({ workers, rounds, delayMs }) =>
    `${workers} workers, one delivery that ends its worker ${delayMs} ms after it came, at least ${rounds} times`,
  async run(context) {
    const { given, problems, system } = context
    context.receiver.onPoison = (receipt) => void endSender(context, receipt)
    await moreReceipts(context, 30)
    await system.sendPoison()
    const isEnough = await isSoWithin(given.limitMs, () => isRepeated(context), 200)
    if (!isEnough)
      problems.push(
        `the poison was sent ${timesSent(context)} times, not ${given.rounds} with each crash on record, within ${given.limitMs} ms`,
      )
    await moreReceipts(context, 30)
  },
  async judge(context) {
    const { observer } = context.system
    const row = await poisonRow(context)
    if (row === undefined)
      return { lines: [], problems: ['the poison is on record as delivered, and nobody had answered it'] }
    const crashes = await crashesOnRecord(context, row)
    return {
      lines: [
        `the poison was sent ${timesSent(context)} times, ${crashes} crashes on record: ${(await observer.why(row.id)).sentence}`,
      ],
      problems:
        row.status === 'dead' && crashes < crashesToDeath
          ? [`the poison was given up with ${crashes} crashes on record, not ${crashesToDeath}`]
          : [],
    }
  },
}

/** The sender is known once its process has reported the connection. */
async function endSender({ faults, given, system }, { connection }) {
  await within(60_000, 'to know who sent the poison', () => connection.pid !== null)
  await pause(given.delayMs)
  const worker = system.workers.find(({ pid }) => pid === connection.pid)
  if (worker === undefined) return
  const at = performance.now()
  const { pid } = worker
  await worker.end('SIGKILL')
  faults.push({ kind: 'kill', name: `the poison ended ${worker.name}`, at, endedAt: performance.now(), pid })
}

function timesSent({ receiver, system }) {
  return receiver.receipts.filter(({ id }) => id === system.notes.poisonId).length
}

/** Sent often enough, and recorded as started whenever it was a suspect; or dead. */
async function isRepeated(context) {
  const row = await poisonRow(context)
  if (row === undefined) return false
  return (
    row.status === 'dead' ||
    (timesSent(context) >= context.given.rounds &&
      (await crashesOnRecord(context, row)) >= context.given.rounds - sendsBeforeBlame)
  )
}

async function poisonRow({ system }) {
  return (await system.observer.unfinished()).find(({ messageId }) => messageId === system.notes.poisonId)
}

async function crashesOnRecord({ system }, { id }) {
  return (await system.observer.attempts(id)).filter(({ outcome }) => outcome === 'crashed').length
}
