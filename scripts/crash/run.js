import { onPostgres } from './postgres.js'
import { isSoWithin } from './processes.js'
import { makeRandom } from './random.js'
import { startReceiver } from './receiver.js'
import { lastLines, report } from './report.js'
import { onSqlite } from './sqlite.js'
import { makeWitness } from './witness.js'

const stages = { sqlite: onSqlite, postgres: onPostgres }

/** One run of one mode; answers with the exit code. */
export async function run(given) {
  const { mode } = given
  console.log(`seed ${given.seed}: ${given.store}, ${mode.title(given)}, leases of ${given.leaseMs} ms`)
  const receiver = await startReceiver(given)
  const faults = []
  const staging = stages[given.store](given, receiver, makeWitness(given, receiver, faults))
  // A stage that is still being set is set first: only then everything is known that must be closed.
  const close = async () => staging.then((stage) => stage.close()).finally(() => given.disk?.close())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void close().finally(() => process.exit(130)))
  try {
    const stage = await staging
    const scene = { given, receiver, stage, random: makeRandom(given.seed), faults, problems: [] }
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
  const { given, problems, stage } = scene
  const isSettled = () => given.mode.isSettled?.(scene) ?? stage.observer.open().then((open) => open === 0)
  if (!(await isSoWithin(given.limitMs, isSettled, 200)))
    problems.push(`not everything had ended ${given.limitMs} ms after the last fault`)
}

async function judge(scene) {
  const { given, stage } = scene
  const { lines = [], problems = [] } = (await given.mode.judge?.(scene)) ?? {}
  const [tolerated, unexpected] = given.mode.mayEnd === true ? [stage.unexpectedEnds, []] : [[], stage.unexpectedEnds]
  return {
    rows: await stage.observer.unfinished(),
    notes: [...lines, ...tolerated],
    problems: [...scene.problems, ...problems, ...unexpected],
  }
}

function evidence({ given, receiver, stage, faults }) {
  const { accepted, poisonId } = stage.notes
  const receipts = receiver.receipts.map(({ id, at, connection }) => ({ id, at, pid: connection.pid }))
  return { accepted, poisonId, receipts, faults, reachMs: given.leaseMs + given.delayMs }
}

function say(result) {
  for (const line of [...result.lines, ...lastLines(result)]) console.log(line)
  return result.isFine ? 0 : 1
}
