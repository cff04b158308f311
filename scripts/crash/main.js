// Real processes, real faults: kills workers and the database at random instants while messages are sent, and counts
// what the receiver got. Ends with "accepted N delivered N lost 0 repeats R explained R", or with exit code 1.
//   npm run crash -- --store sqlite|postgres --workers N --kills K --restarts R [--seed S] [--verbose]
import { parseArgs } from 'node:util'
import { startReceiver } from './receiver.js'
import { lastLine, report } from './report.js'
import { makeSchedule } from './schedule.js'
import { onPostgres } from './postgres.js'
import { onSqlite } from './sqlite.js'
import { leaseMs, openRows, within } from './run.js'

const stages = { sqlite: onSqlite, postgres: onPostgres }
const receiptsBetween = 50
const given = options()
const schedule = makeSchedule(given)
console.log(`seed ${given.seed}: ${given.store}, ${given.workers} workers, ${given.kills} kills, ${given.restarts} restarts of the database`)

const receiver = await startReceiver()
const stage = await stages[given.store](given, receiver)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stage.close().finally(() => process.exit(130)))
try {
  const startedAt = performance.now()
  const faults = []
  for (const fault of schedule) {
    await moreReceipts()
    faults.push(await stage.perform(fault))
  }
  await stage.stopSending()
  await within(60_000, 'nothing to be open', async () => (await openRows(stage)) === 0)
  const rows = await stage.rows()
  await stage.close()
  const result = report({ accepted: stage.accepted, receipts: receiver.receipts, faults, rows, leaseMs, startedAt })
  for (const line of result.lines) console.log(line)
  console.log(lastLine(result))
  process.exitCode = result.isFine ? 0 : 1
} finally {
  await stage.close()
  await receiver.close()
}

/** On a busy machine, too, a fault must find something to break. */
async function moreReceipts() {
  const enough = receiver.receipts.length + receiptsBetween
  await within(30_000, 'deliveries between two faults', () => receiver.receipts.length >= enough)
}

function options() {
  const { values } = parseArgs({
    options: {
      store: { type: 'string', default: 'sqlite' },
      workers: { type: 'string' },
      kills: { type: 'string', default: '5' },
      restarts: { type: 'string', default: '0' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
      verbose: { type: 'boolean' },
      dist: { type: 'string', default: new URL('../../dist', import.meta.url).pathname },
    },
  })
  if (!Object.hasOwn(stages, values.store)) refuse(`Expected --store to be sqlite or postgres, got "${values.store}".`)
  const workers = count('workers', values.workers ?? (values.store === 'sqlite' ? '1' : '2'), 1, 20)
  if (values.store === 'sqlite' && workers !== 1) refuse('Expected --workers to be 1: only one process may deliver from a SQLite file.')
  return {
    ...values,
    workers,
    kills: count('kills', values.kills, 0, 1_000),
    restarts: count('restarts', values.restarts, 0, 100),
    seed: count('seed', values.seed, 0, 2 ** 32),
  }
}

function count(name, text, least, most) {
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  return refuse(`Expected --${name} to be a whole number from ${least} to ${most}, got "${text}".`)
}

/** @returns {never} */
function refuse(message) {
  console.error(message)
  process.exit(2)
}
