import { onPostgres } from './postgres.js'
import { isSoWithin } from './processes.js'
import { makeRandom } from './random.js'
import { startReceiver } from './receiver.js'
import { lastLines, report } from './report.js'
import { onSqlite } from './sqlite.js'
import { makeWitness } from './witness.js'

// So long a delivery waits at most after its first crash.
const longestPauseMs = 90_000
const mostWaiting = 50

const stages = { sqlite: onSqlite, postgres: onPostgres }

/** One run of one mode; answers with the exit code. */
export async function run(given) {
  const { mode } = given
  console.log(`seed ${given.seed}: ${given.store}, ${mode.title(given)}, leases of ${given.leaseMs} ms`)
  const receiver = await startReceiver(given)
  const faults = []
  const witness = makeWitness(given, receiver, faults)
  const staging = stages[given.store](given, receiver, witness)
  // A stage that is still being set is set first: only then everything is known that must be closed.
  const close = async () => staging.then((stage) => stage.close()).finally(() => given.disk?.close())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void close().finally(() => process.exit(130)))
  try {
    const stage = await staging
    const scene = { given, receiver, stage, witness, random: makeRandom(given.seed), faults, problems: [] }
    const startedAt = performance.now()
    await stage.ready()
    await harm(scene)
    await settle(scene)
    const found = await judge(scene)
    // Only now, so that what somebody sends as it ends is counted, too.
    await stage.close()
    return say(report({ ...found, ...evidence(scene), startedAt }))
  } finally {
    await close()
    await receiver.close()
  }
}

/** What was waited for in vain is a problem of the run, which is reported all the same. */
async function harm(scene) {
  const { given, problems, stage } = scene
  try {
    await given.mode.run(scene)
    await stage.stopSending()
  } catch (thrown) {
    problems.push(thrown.message)
  }
}

/** The last worker lives on for as long as it takes, or until the limit. */
async function settle(scene) {
  const { given, problems } = scene
  if (!(await isSoWithin(given.limitMs, () => isSettled(scene), 200)))
    problems.push(`not everything had ended ${given.limitMs} ms after the last fault`)
}

/** Everything has ended but the poison, and what waits by the rule. */
async function isSettled(scene) {
  const { notes, observer } = scene.stage
  if ((await observer.open()) > mostWaiting) return false
  const open = (await observer.unfinished()).filter(
    ({ status, messageId }) => status !== 'dead' && messageId !== notes.poisonId,
  )
  const waiting = await waitingFor(scene, open)
  return open.every(({ id }) => waiting.has(id))
}

/**
 * Of these deliveries, those that were being sent when their worker ended, although it was known that they may be the cause: they wait,
 * innocent or not, and longer than a short run does. A run with time for it sees them come.
 */
async function waitingFor({ given, stage }, rows) {
  if (given.limitMs > longestPauseMs) return new Set()
  const reasons = await Promise.all(rows.map(({ id }) => stage.observer.why(id)))
  return new Set(rows.filter((_, index) => reasons[index].code === 'waiting_after_crash').map(({ id }) => id))
}

async function judge(scene) {
  const { given, stage } = scene
  const { lines = [], problems = [] } = (await given.mode.judge?.(scene)) ?? {}
  const [tolerated, unexpected] = given.mode.mayEnd === true ? [stage.unexpectedEnds, []] : [[], stage.unexpectedEnds]
  const rows = await stage.observer.unfinished()
  const waiting = await waitingFor(
    scene,
    rows.filter(({ messageId }) => messageId !== stage.notes.poisonId).slice(0, mostWaiting),
  )
  const waits =
    waiting.size > 0
      ? [`${waiting.size} wait for up to ${longestPauseMs} ms, because their worker ended while it was sending them`]
      : []
  return {
    rows,
    waiting,
    notes: [...lines, ...waits, ...tolerated],
    problems: [...scene.problems, ...problems, ...unexpected],
  }
}

function evidence({ given, receiver, stage, witness, faults: ours }) {
  const { accepted, poisonId } = stage.notes
  // What was killed while it stood still could mark nothing since it did.
  const faults = ours.map((fault) =>
    fault.kind === 'kill' ? { ...fault, since: Math.min(fault.at, witness.aliveAt(fault.pid) ?? fault.at) } : fault,
  )
  const receipts = receiver.receipts.map(({ id, at, connection }) => ({ id, at, pid: connection.pid }))
  return { accepted, poisonId, receipts, faults, reachMs: given.leaseMs + given.delayMs }
}

function say(result) {
  for (const line of [...result.lines, ...lastLines(result)]) console.log(line)
  return result.isFine ? 0 : 1
}
