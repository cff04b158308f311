import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeObserver } from './observer.js'
import { keepRunning, pause, startChild } from './processes.js'
import { startProxy } from './proxy.js'
import { makeSending } from './sending.js'
import { makeStage } from './stage.js'

// The user that PostgreSQL runs as if this process is root's.
const nobody = 65_534

/** A server of its own, any number of workers, and a sender beside them. */
export async function onPostgres(given, receiver) {
  const server = await startServer()
  if (given.disk !== null) await keepTablesOn(given.disk.path, server.url)
  const { postgres } = await import(`${given.dist}/stores/postgres/index.js`)
  const observer = await makeObserver(given.dist, postgres(server.url, { plaintextSecrets: true }), receiver)
  const proxies = given.isProxied ? await Promise.all(Array.from({ length: given.workers }, () => startProxy(server.url))) : []
  const unexpectedEnds = []
  const workers = Array.from({ length: given.workers }, (_, index) => {
    const start = () => startWorker(given, receiver, proxies[index]?.url ?? server.url, given.clockShiftsMs[index % given.clockShiftsMs.length])
    return keepRunning(`worker ${index + 1}`, start, (text) => unexpectedEnds.push(text))
  })
  const sending = makeSending({ dist: given.dist, databaseUrl: server.url, given, receiver, delivers: false })
  const sender = keepRunning('the sender', sending.start, (text) => unexpectedEnds.push(text))

  return makeStage({
    sending,
    sender,
    workers,
    observer,
    unexpectedEnds,
    proxies,
    crashDatabase: server.crash,
    integrity: null,
    async close() {
      for (const proxy of proxies) proxy.heal()
      await Promise.all([sender, ...workers].map((process) => process.stop()))
      await observer.stop()
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await server.stop()
    },
  })
}

function startWorker({ dist, leaseMs, pollMs }, receiver, databaseUrl, clockShiftMs) {
  return startChild(join(dist, 'cli/main.js'), ['worker'], {
    environment: {
      POSTHORN_DATABASE_URL: databaseUrl,
      POSTHORN_PLAINTEXT_SECRETS: '1',
      POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
      POSTHORN_LEASE_MS: String(leaseMs),
      POSTHORN_POLL_MS: String(pollMs),
      POSTHORN_SHUTDOWN_GRACE_MS: '5000',
      CRASH_CLOCK_SHIFT_MS: String(clockShiftMs),
    },
    preloads: ['report-connections', 'shift-clock'],
    isReady: (said) => typeof said === 'string',
    onMessage: (message, pid) => message.kind === 'connected' && receiver.owned(message, pid),
  })
}

async function startServer() {
  const script = fileURLToPath(new URL('../postgres.js', import.meta.url))
  // In a group of its own: it cleans up when the pipe closes, not when Ctrl-C is pressed.
  const child = spawn(process.execPath, [script, '--durable'], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const exited = once(child, 'exit')

  async function ask(command) {
    const answer = once(lines, 'line')
    if (command !== null) child.stdin.write(`${command}\n`)
    const [line] = await Promise.race([answer, exited.then(() => [])])
    if (line === undefined) throw new Error('Expected a PostgreSQL, and it ended: see above.')
    return line
  }

  return {
    url: await ask(null),
    async crash(downMs) {
      await ask('crash')
      await pause(downMs)
      await ask('start')
    },
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

/** What is created from now on lies there; the write-ahead log stays where it was, for without it the server itself would end. */
async function keepTablesOn(path, url) {
  const folder = join(path, 'tables')
  mkdirSync(folder, { mode: 0o700 })
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody)
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`create tablespace small location '${folder}'`)
    await client.query('alter role postgres set default_tablespace = small')
  } finally {
    await client.end()
  }
}
