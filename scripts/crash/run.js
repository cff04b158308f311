import { onPostgres } from './postgres.js'
import { isSoWithin } from './processes.js'
import { makeRandom } from './random.js'
import { startReceiver } from './receiver.js'
import { lastLines, report } from './report.js'
import { onSqlite } from './sqlite.js'
import { makeWitness } from './witness.js'

// The longest that a delivery waits after its first crash.
const longestPauseMs = 90_000
const mostWaiting = 50

const systems = { sqlite: onSqlite, postgres: onPostgres }

/** One run of one mode; returns the exit code. */
export async function run(given) {
  const { mode } = given
  console.log(`seed ${given.seed}: ${given.store}, ${mode.title(given)}, leases of ${given.leaseMs} ms`)
  const receiver = await startReceiver(given)
  const faults = []
  const witness = makeWitness(given, receiver, faults)
  const opening = systems[given.store](given, receiver, witness)
  // Wait until the system is open: only then is everything known that must be closed.
  const close = async () => opening.then((system) => system.close()).finally(() => given.disk?.close())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void close().finally(() => process.exit(130)))
  try {
    const system = await opening
    const context = { given, receiver, system, witness, random: makeRandom(given.seed), faults, problems: [] }
    const startedAt = performance.now()
    await system.ready()
    await harm(context)
    await settle(context)
    const found = await judge(context)
    // Only now, so that what a process sends while it ends is counted, too.
    await system.close()
    return say(report({ ...found, ...evidence(context), startedAt }))
  } finally {
    await close()
    await receiver.close()
  }
}

/** A wait that times out is a problem of the run, which is still reported. */
async function harm(context) {
  const { given, problems, system } = context
  try {
    await given.mode.run(context)
    await system.stopSending()
  } catch (thrown) {
    problems.push(thrown.message)
  }
}

/** The last worker lives for as long as it takes, or until the limit. */
async function settle(context) {
  const { given, problems } = context
  if (!(await isSoWithin(given.limitMs, () => isSettled(context), 200)))
    problems.push(`not everything had ended ${given.limitMs} ms after the last fault`)
}

/** Everything has ended except for the poison, and deliveries that wait by the rules. */
async function isSettled(context) {
  const { notes, observer } = context.system
  if ((await observer.open()) > mostWaiting) return false
  const open = (await observer.unfinished()).filter(
    ({ status, messageId }) => status !== 'dead' && messageId !== notes.poisonId,
  )
  const waiting = await waitingFor(context, open)
  return open.every(({ id }) => waiting.has(id))
}

/**
 * Those of these deliveries that were being sent when their worker ended, although they were suspects: they wait,
 * innocent or not, longer than a short run does. A longer run sees them arrive.
 */
async function waitingFor({ given, system }, rows) {
  if (given.limitMs > longestPauseMs) return new Set()
  const reasons = await Promise.all(rows.map(({ id }) => system.observer.why(id)))
  return new Set(rows.filter((_, index) => reasons[index].code === 'waiting_after_crash').map(({ id }) => id))
}

async function judge(context) {
  const { given, system } = context
  const { lines = [], problems = [] } = (await given.mode.judge?.(context)) ?? {}
  const [tolerated, unexpected] = given.mode.mayEnd === true ? [system.unexpectedEnds, []] : [[], system.unexpectedEnds]
  const rows = await system.observer.unfinished()
  const waiting = await waitingFor(
    context,
    rows.filter(({ messageId }) => messageId !== system.notes.poisonId).slice(0, mostWaiting),
  )
  const waits =
    waiting.size > 0
      ? [`${waiting.size} wait for up to ${longestPauseMs} ms, because their worker ended while it was sending them`]
      : []
  return {
    rows,
    waiting,
    notes: [...lines, ...waits, ...tolerated],
    problems: [...context.problems, ...problems, ...unexpected],
  }
}

function evidence({ given, receiver, system, witness, faults: ours }) {
  const { accepted, poisonId } = system.notes
  // A process that was killed while stopped could not mark anything since then.
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
