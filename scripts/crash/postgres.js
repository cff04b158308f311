import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { leaseMs, makeObserver, pause, pollMs, startChild, startSender, unfinishedRows } from './run.js'

/** A server of its own, any number of workers, and a sender beside them. */
export async function onPostgres({ dist, workers: count }, receiver) {
  const server = await startServer()
  const accepted = new Set()
  const { postgres } = await import(`${dist}/stores/postgres/index.js`)
  const observer = await makeObserver(dist, postgres(server.url, { plaintextSecrets: true }), receiver)
  const workers = Array.from({ length: count }, () => keepWorker(dist, server.url))
  await Promise.all(workers.map((worker) => worker.ready()))
  const sender = startSender(dist, server.url, 'sender', accepted)
  await once(sender.child, 'message')
  let closing = null

  async function close() {
    await Promise.all([sender.end('SIGTERM'), ...workers.map((worker) => worker.stop())])
    await observer.stop()
    await server.stop()
  }

  return {
    accepted,
    observer,
    async perform({ kind, afterMs, victim, downMs }) {
      await pause(afterMs)
      const at = performance.now()
      const name = kind === 'kill' ? `kill -9 of worker ${victim + 1}` : `crash of the database, down for ${downMs} ms`
      if (kind === 'kill') await workers[victim].kill()
      else await server.crash(downMs)
      return { kind, name, at, endedAt: performance.now() }
    },
    async stopSending() {
      const done = once(sender.child, 'message')
      sender.child.send('enough')
      await done
    },
    rows: () => unfinishedRows(observer),
    close: () => (closing ??= close()),
  }
}

/** A worker that is started anew whenever it ends, as a supervisor does. */
function keepWorker(dist, databaseUrl) {
  const environment = {
    POSTHORN_DATABASE_URL: databaseUrl,
    POSTHORN_PLAINTEXT_SECRETS: '1',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_LEASE_MS: String(leaseMs),
    POSTHORN_POLL_MS: String(pollMs),
    POSTHORN_SHUTDOWN_GRACE_MS: '5000',
  }
  let wanted = true
  let current = start()

  function start() {
    const started = startChild(join(dist, 'cli/main.js'), ['worker'], environment)
    // It may find the database away, and give up.
    void started.ended.then(() => pause(50)).then(() => {
      if (wanted) current = start()
    })
    return started
  }

  return {
    async ready() {
      await once(current.lines, 'line')
    },
    kill: () => current.end('SIGKILL'),
    async stop() {
      wanted = false
      await current.end('SIGTERM')
    },
  }
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
