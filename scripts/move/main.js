// Moves a file to PostgreSQL with a kill -9 in the middle, and counts at the receiver: npm run move:check
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DatabaseSync } from '@photostructure/sqlite'
import { Client } from 'pg'
import { schemaOn, startServer } from '../crash/postgres-server.js'
import { endChild, startChild } from '../crash/processes.js'
import { openReceiver } from './receiver.js'
import { differences } from './rows.js'
import { allEnded, fillSource, load } from './source.js'

const { values: options } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '2' },
    // An existing PostgreSQL; without it one is started.
    postgres: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    verbose: { type: 'boolean' },
    'lease-ms': { type: 'string', default: '30000' },
    'scheduled-ms': { type: 'string', default: '60000' },
  },
})
const deliveries = Number(options.deliveries)
const dist = resolve(options.dist)
const folder = mkdtempSync(join(tmpdir(), 'posthorn-move-'))
const file = join(folder, 'posthorn.db')
const secretsKey = Buffer.alloc(32, 3).toString('base64')
const settings = {
  POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
  POSTHORN_LOG_LEVEL: 'error',
  POSTHORN_POLL_MS: '250',
  POSTHORN_LEASE_MS: options['lease-ms'],
}

const database = options.postgres === undefined ? await startServer() : schemaOn(options.postgres)
const receiver = await openReceiver((await load(dist, 'verify.js')).verify)
const target = {
  ...settings,
  POSTHORN_DATABASE_URL: database.url,
  POSTHORN_SCHEMA: database.schema,
  POSTHORN_SECRETS_KEY: secretsKey,
}
try {
  await check()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await receiver.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function check() {
  const scheduledMs = Number(options['scheduled-ms'])
  const wanted = await fillSource({ dist, file, deliveries, receiver, settings, scheduledMs })
  console.log(`${wanted.size} deliveries in ${file}, ${receiver.received.size} of them delivered`)
  await copyUntilKilled()
  console.log(`killed; ${await copyToItsEnd()}`)
  const different = await compareRows()
  await deliverRest()
  report(wanted, different)
}

/** Kills the copy as soon as half of the deliveries are in the target. */
async function copyUntilKilled() {
  const copy = startCopy()
  let said = ''
  copy.child.stderr.on('data', (text) => {
    said += text
    const copied = [...said.matchAll(/webhook_deliveries (\d+) of /g)].map(([, count]) => Number(count))
    if (Math.max(0, ...copied) >= deliveries / 2) copy.child.kill('SIGKILL')
  })
  const [[code, signal]] = await copy.ended
  if (signal !== 'SIGKILL')
    throw new Error(`Expected the copy to be killed half way, and it ended with ${code}: ${said}`)
  if (!(await isUnfinished())) throw new Error('Expected the copy to be killed half way, and it had ended.')
}

async function copyToItsEnd() {
  const copy = startCopy()
  const lines = []
  copy.lines.on('line', (line) => lines.push(line))
  const [[code]] = await copy.ended
  const last = lines.at(-1) ?? ''
  if (code === 0 && last.includes(', resumed: ')) return last
  throw new Error(
    `Expected the copy to go on and end well, got code ${code}: ${[...lines, ...copy.lastWords].join('\n')}`,
  )
}

function startCopy() {
  return startChild(join(dist, 'cli/main.js'), ['copy', '--from', `sqlite:${file}`], { environment: target })
}

async function isUnfinished() {
  return withTarget(async (client) => {
    const { rows } = await client.query(`select to_regclass('copy_progress') as found`)
    return rows[0].found !== null
  })
}

async function compareRows() {
  const source = new DatabaseSync(file, { readOnly: true })
  try {
    const rules = await load(dist, 'stores/move/tables.js')
    return await withTarget((client) => differences(source, client, rules))
  } finally {
    source.close()
  }
}

async function withTarget(work) {
  const client = new Client({ connectionString: database.url, options: `-c search_path=${database.schema}` })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Workers on the target deliver what was open, including what was in flight. */
async function deliverRest() {
  const [{ Posthorn }, { postgres }] = await Promise.all([
    load(dist, 'index.js'),
    load(dist, 'stores/postgres/index.js'),
  ])
  const posthorn = new Posthorn({ store: postgres(database.url, { schema: database.schema, secretsKey }) })
  const workers = Array.from({ length: Number(options.workers) }, () =>
    startChild(join(dist, 'cli/main.js'), ['worker'], { environment: target }),
  )
  try {
    await allEnded(posthorn)
  } finally {
    await posthorn.stop()
    await Promise.all(workers.map((worker) => endChild(worker, 'SIGTERM')))
  }
}

function report(wanted, different) {
  const counts = [...wanted].map((name) => receiver.received.get(name) ?? 0)
  const twice = counts.filter((count) => count > 1).length
  const lost = counts.filter((count) => count === 0).length
  for (const problem of [...different, ...receiver.problems].slice(0, 20)) console.error(problem)
  console.log(`${different.length === 0 ? 'rows equal' : 'rows differ'}, ${twice} sent twice, ${lost} lost`)
  if (different.length + receiver.problems.length + twice + lost > 0) process.exitCode = 1
}
