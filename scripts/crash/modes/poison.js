import { moreReceipts } from '../faults.js'
import { isSoWithin, pause, within } from '../processes.js'
import { mixed } from '../traffic.js'

const crashesToDeath = 5

/** One delivery that ends its worker each time it is sent, among innocent ones to the same endpoint. It alone may end dead, or stay open. */
export const poison = {
  name: 'poison',
  leaseMs: 2_000,
  rounds: 3,
  traffic: mixed,
  delayMs: 0,
  title: ({ workers, rounds, delayMs }) =>
    `${workers} workers, one delivery that ends its worker ${delayMs} ms after it came, at least ${rounds} times`,
  async run(scene) {
    const { given, problems, stage } = scene
    scene.receiver.onPoison = (receipt) => void endSender(scene, receipt)
    await moreReceipts(scene, 30)
    await stage.sendPoison()
    const isEnough = await isSoWithin(
      given.limitMs,
      async () => timesSent(scene) >= given.rounds || (await isDead(scene)),
      200,
    )
    if (!isEnough)
      problems.push(`the poison was sent ${timesSent(scene)} times, not ${given.rounds}, within ${given.limitMs} ms`)
    await moreReceipts(scene, 30)
  },
  /** The innocent have ended; of the poison only its own fate is open. */
  async isSettled(scene) {
    const open = (await scene.stage.observer.unfinished()).filter(({ status }) => status !== 'dead')
    return open.every(({ messageId }) => messageId === scene.stage.notes.poisonId)
  },
  async judge(scene) {
    const { observer, notes } = scene.stage
    const row = (await observer.unfinished()).find(({ messageId }) => messageId === notes.poisonId)
    if (row === undefined)
      return { lines: [], problems: ['the poison is on record as delivered, and nobody had answered it'] }
    const crashes = (await observer.attempts(row.id)).filter(({ outcome }) => outcome === 'crashed').length
    return {
      lines: [
        `the poison was sent ${timesSent(scene)} times, ${crashes} crashes on record: ${await observer.why(row.id)}`,
      ],
      problems:
        row.status === 'dead' && crashes < crashesToDeath
          ? [`the poison was given up with ${crashes} crashes on record, not ${crashesToDeath}`]
          : [],
    }
  },
}

/** Whoever sent it is known once its process has said which connection is its own. */
async function endSender({ faults, given, stage }, { connection }) {
  await within(5_000, 'to know who sent the poison', () => connection.pid !== null)
  await pause(given.delayMs)
  const worker = stage.workers.find(({ pid }) => pid === connection.pid)
  if (worker === undefined) return
  const at = performance.now()
  const { pid } = worker
  await worker.end('SIGKILL')
  faults.push({ kind: 'kill', name: `the poison ended ${worker.name}`, at, endedAt: performance.now(), pid })
}

function timesSent({ receiver, stage }) {
  return receiver.receipts.filter(({ id }) => id === stage.notes.poisonId).length
}

async function isDead({ stage }) {
  return (await stage.observer.unfinished()).some(
    ({ messageId, status }) => messageId === stage.notes.poisonId && status === 'dead',
  )
}
