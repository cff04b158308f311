// Drives `posthorn serve` on both databases with the official Svix clients in five languages, each through the same steps, and compares
// what the receiver got with what they sent. Clients are installed from their registries into a cache.
//   npm run sdks -- [--store sqlite|postgres] [--language python] [--verbose]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { adminKey, databases, startServer } from '../tour/server.js'
import { languages } from './languages.js'
import { startReceiver } from './receiver.js'
import { bodyProblems, ordinary, raw, rawType, steps } from './steps.js'

const { values: given } = parseArgs({
  options: {
    store: { type: 'string' },
    language: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
    dist: { type: 'string', default: new URL('../../dist', import.meta.url).pathname },
  },
})
const stores = given.store === undefined ? Object.keys(databases) : [given.store]
const names = given.language ?? Object.keys(languages)
if (
  !stores.every((store) => Object.hasOwn(databases, store)) ||
  !names.every((name) => Object.hasOwn(languages, name))
) {
  console.error(
    `Expected --store to be sqlite or postgres, and --language one of ${Object.keys(languages).join(', ')}.`,
  )
  process.exit(2)
}

const prepared = names.map((name) => ({ name, ...languages[name], ...languages[name].prepare() }))
const runnable = prepared.filter(({ command }) => command !== null)
const total = { ok: 0, all: 0, bodies: [], signatures: [] }
for (const store of stores) await visit(store)
conclude()

async function visit(store) {
  const database = await databases[store]()
  const receiver = await startReceiver()
  const server = await startServer(given.dist, database.url)
  try {
    for (const language of runnable) await drive(store, language, server.url, receiver)
  } finally {
    await server.stop()
    await receiver.close()
    await database.close()
  }
}

async function drive(
  store,
  { name, client, command: [program, ...args], environment = {}, folder },
  serverUrl,
  receiver,
) {
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      // Java decodes the environment by its locale.
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LC_ALL: 'C.UTF-8',
      ...environment,
      SDKS_SERVER: serverUrl,
      SDKS_KEY: adminKey,
      SDKS_RECEIVER: receiver.url,
      SDKS_APP: name,
      SDKS_ORDINARY: JSON.stringify(ordinary),
      SDKS_RAW: raw,
      SDKS_RAW_TYPE: rawType,
    },
  })
  const said = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  await once(child, 'close')
  const done = steps.filter((step) => said.includes(`ok ${step}`))
  const problems = bodyProblems(receiver.receipts.filter(({ path }) => path === `/${name}`))
  for (const line of said) if (given.verbose === true || line.startsWith('no ')) console.log(`  ${name}: ${line}`)
  for (const problem of problems) console.log(`  ${name}: ${problem}`)
  console.log(
    `${store}: ${name} (${client}): ${done.length} of ${steps.length} steps ok, bodies ${problems.length === 0 ? 'equal' : 'differ'}`,
  )
  total.ok += done.length
  total.all += steps.length
  total.bodies.push(problems.length === 0)
  total.signatures.push(done.filter((step) => step.endsWith('-signature')).length === 3)
}

function conclude() {
  const notRun = prepared.filter(({ command }) => command === null).map(({ name, reason }) => `${name} (${reason})`)
  const [areEqual, areVerified] = [total.bodies.every(Boolean), total.signatures.every(Boolean)]
  const count = new Set(runnable.map(({ name }) => name.split('-')[0])).size
  console.log(
    `${count} languages, ${total.ok} of ${total.all} steps ok, bodies ${areEqual ? 'equal' : 'differ'}, signatures ${areVerified ? 'verified' : 'not verified'}, not run: ${notRun.length === 0 ? 'none' : notRun.join(', ')}`,
  )
  if (total.ok !== total.all || total.all === 0 || !areEqual || !areVerified) process.exitCode = 1
}
