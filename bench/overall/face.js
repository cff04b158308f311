// The HTTP face: `posthorn serve` of a build takes messages from a light client and delivers them to the receiver.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { percentile, scratch } from '../common.js'
import { perMessage, residentMb, threadsOf, treeUs } from '../wire/cpu.js'
import { key, messagesFor } from '../wire/load.js'

const connections = 64
const applications = Array.from({ length: 10 }, (_, index) => `app-${index}`)
const warmUpMs = 4_000
const lightPerSecond = 100
const mostWaitMs = 10_000
const probe = fileURLToPath(new URL('../wire/probe.js', import.meta.url))

/** Full load, then a light one; with `worker: 'apart'` the light one only, delivered by a process of its own. */
export async function faceRun({ dist, database, runMs, lightMs, worker = 'inside' }, { receiver, client, postgres }) {
  const { folder, remove } = scratch()
  const environment = environmentFor(database === 'sqlite' ? `sqlite:${join(folder, 'bench.db')}` : database)
  const server = await start(dist, worker === 'apart' ? ['serve', '--no-worker'] : ['serve'], environment)
  const beside = worker === 'apart' ? await start(dist, ['worker'], environment) : null
  try {
    for (const application of applications) await createEndpoint(server, application, receiver)
    const world = { server, receiver, client, postgres: database === 'sqlite' ? null : postgres }
    const full = worker === 'apart' ? {} : await underFullLoad(world, runMs)
    return { ...full, ...(await underLightLoad(world, lightMs)) }
  } finally {
    await Promise.all([server.stop(), beside?.stop()])
    remove()
  }
}

async function underFullLoad({ server, receiver, client, postgres }, ms) {
  const order = { port: server.port, requests: messagesFor(applications, server.port), connections }
  const { count: earlier } = await receiver.report()
  const { count: warmed } = await client.run({ ...order, ms: warmUpMs })
  await drained(receiver, earlier + warmed)
  await server.busy()
  const before = await usedBy({ server, receiver, postgres })
  const startedAt = performance.now()
  const { count, cpuUs } = await client.run({ ...order, ms })
  const busy = await server.busy()
  await drained(receiver, before.received + count)
  const tookSeconds = (performance.now() - startedAt) / 1000
  const after = await usedBy({ server, receiver, postgres })
  return {
    perSecond: count / tookSeconds,
    busy,
    threadsUs: perMessage(before.threads, after.threads, count),
    databaseUs: postgres === null ? 0 : (after.databaseUs - before.databaseUs) / count,
    clientUs: cpuUs / count,
    receiverUs: (after.receiverUs - before.receiverUs) / count,
    rssMb: residentMb(server.pid),
  }
}

async function underLightLoad({ server, receiver, client }, ms) {
  const requests = messagesFor(applications, server.port, { isStamped: true })
  const order = { port: server.port, requests, connections: applications.length, perSecond: lightPerSecond }
  // Once before, so that nobody's first connection counts.
  let latenciesMs = []
  for (const lastsMs of [1_000, ms]) {
    const { count: base } = await receiver.report()
    const { count } = await client.run({ ...order, ms: lastsMs })
    await drained(receiver, base + count)
    latenciesMs = (await receiver.report()).latenciesMs
  }
  return { p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

async function usedBy({ server, receiver, postgres }) {
  const { count, cpuUs } = await receiver.report()
  const databaseUs = postgres === null ? 0 : treeUs(postgres.pid)
  return { received: count, receiverUs: cpuUs, threads: threadsOf(server.pid), databaseUs }
}

/** Waits until so many have come in. */
async function drained(receiver, wanted) {
  let last = { count: -1, at: performance.now() }
  for (;;) {
    const count = await receiver.count()
    if (count >= wanted) return
    if (count > last.count) last = { count, at: performance.now() }
    if (performance.now() - last.at > mostWaitMs)
      throw new Error(`Expected ${wanted} messages to be delivered, got ${count}, and no more for ${mostWaitMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function environmentFor(url) {
  return {
    POSTHORN_PORT: '0',
    POSTHORN_DATABASE_URL: url,
    POSTHORN_ADMIN_KEY: key,
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_RATE_LIMIT_PER_SECOND: '0',
    POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION: '0',
    POSTHORN_SCHEMA: `face_${process.pid}_${Math.round(performance.now())}`,
    POSTHORN_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    POSTHORN_LOG_LEVEL: 'error',
  }
}

/** Starts a command, and answers once it has said that it listens, or that it works. */
async function start(dist, args, environment) {
  const child = fork(join(dist, 'cli/main.js'), args, {
    env: { ...process.env, ...environment },
    execArgv: ['--import', probe],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^posthorn (?:listening on http:.*:(\d+)|worker )/.exec(line)
    if (port === null) continue
    child.stdout.resume()
    return processOf(child, Number(port[1]))
  }
  throw new Error(`Expected \`posthorn ${args.join(' ')}\` to listen, but it ended.`)
}

function processOf(child, port) {
  return {
    port,
    pid: child.pid,
    /** The shares of the time in which the loops of its threads did something, since the last question. */
    async busy() {
      child.send('busy?')
      const [shares] = await once(child, 'message')
      return shares
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function createEndpoint(server, application, receiver) {
  const target = `http://127.0.0.1:${receiver.port}/hook`
  await call(server, '/api/v1/app', { name: application, uid: application })
  await call(server, `/api/v1/app/${application}/endpoint`, { url: target })
}

async function call({ port }, path, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`Expected ${path} to be done, got ${answer.status}: ${text}`)
}
