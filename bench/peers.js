// The library on PostgreSQL beside what a team would build instead, on the same database, one after the other.
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { print, scratch, startReceiver, whole } from './common.js'
import { engineOnPostgres, startPostgres } from './postgres.js'

const leastTimes = 5
const folder = fileURLToPath(new URL('./peers', import.meta.url))

/** Resolves with how many times as fast the library is as each that ran. */
export async function peers() {
  // Without a lock: optional packages of one of them are not in every registry.
  const options = ['--prefix', folder, '--no-package-lock', '--omit=optional', '--no-audit', '--no-fund']
  const installed = spawnSync('npm', ['install', ...options], { stdio: 'inherit' })
  if (installed.status !== 0) {
    console.error(
      `Expected \`npm install --prefix ${folder}\` to install the peers, got exit code ${installed.status}.`,
    )
    process.exit(1)
  }
  const receiver = await startReceiver()
  const server = await startPostgres()
  try {
    const own = await engineOnPostgres(server.url, receiver)
    print(
      'posthorn on PostgreSQL',
      `${whole(own.perSecond)}/s`,
      'stored, signed, delivered, marked, its attempt on record',
    )
    const times = []
    for (const name of ['pg-boss', 'graphile-worker'])
      times.push(compare(`${name} + fetch`, own.perSecond, await runOf(name, server.url, receiver)))
    times.push(compare('BullMQ + fetch', own.perSecond, await onRedis(receiver)))
    const ran = times.filter((each) => each !== null)
    print(
      '',
      `${ran.filter(({ times: each }) => each >= leastTimes).length} of ${ran.length}`,
      `peers that ran, at ${leastTimes} times or more`,
    )
    return ran
  } finally {
    receiver.stop()
    await server.stop()
  }
}

function compare(name, own, perSecond) {
  if (perSecond === null) {
    print(name, 'not run', 'no redis-server is installed')
    return null
  }
  const times = own / perSecond
  print(name, `${whole(perSecond)}/s`, `posthorn is ${times.toFixed(1)} times as fast`)
  return { name, times }
}

async function runOf(name, url, { port }) {
  const child = fork(`${folder}/run.js`, [name, url, String(port)])
  const exited = once(child, 'exit')
  const [{ perSecond }] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`Expected figures of ${name}, but it ended with ${code}.`))),
  ])
  await exited
  return perSecond
}

/** A Redis that keeps what it has acknowledged, as the databases do: each write is on the disk before its answer. */
async function onRedis(receiver) {
  if (spawnSync('redis-server', ['--version']).error !== undefined) return null
  const { folder: data, remove } = scratch()
  const port = await freePort()
  const settings = [
    '--port',
    String(port),
    '--dir',
    data,
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--save',
    '',
  ]
  const redis = spawn('redis-server', settings, { stdio: 'ignore' })
  try {
    return await runOf('bullmq', `redis://127.0.0.1:${port}`, receiver)
  } finally {
    redis.kill()
    await once(redis, 'exit')
    remove()
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
