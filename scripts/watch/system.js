import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { receiver } from '../../dist/testing/index.js'

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const key = 'the-admin-key-of-the-watch'
// Short leases, so that there are heartbeats; no retries, so that what fails is dead at once.
const settings = {
  POSTHORN_PORT: '0',
  POSTHORN_METRICS_PORT: '0',
  POSTHORN_METRICS_ENDPOINTS: '2',
  POSTHORN_ADMIN_KEY: key,
  POSTHORN_PLAINTEXT_SECRETS: '1',
  POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
  POSTHORN_SHUTDOWN_GRACE_MS: '0',
  POSTHORN_POLL_MS: '250',
  POSTHORN_LEASE_MS: '1500',
  WEBHOOK_TIMEOUT_SECONDS: '3',
  MAX_RETRY_ATTEMPTS: '0',
}

/** A server that only answers, a worker that delivers, and endpoints that fail: everything an operator may have to look at. */
export async function openSystem(folder) {
  const environment = { ...settings, POSTHORN_DATABASE_URL: `sqlite:${join(folder, 'posthorn.db')}` }
  const local = await receiver({ keepReceipts: false })
  local.behave('/fails', 500)
  local.behave('/hangs', 'hang')
  const server = await startCommand(['serve', '--no-worker'], environment)
  const worker = await startCommand(['worker'], environment)
  const call = caller(server.url)
  await populate(call, local)
  const leaving = new AbortController()
  // A reader of the stream, until the end.
  await fetch(`${server.url}/api/v1/stream`, { headers: call.headers, signal: leaving.signal })
  const traffic = keepSending(call, leaving.signal)
  return {
    key,
    targets: [server, worker].map(({ metricsUrl }) => new URL(metricsUrl).host),
    async close() {
      leaving.abort()
      await traffic
      for (const command of [server, worker]) await command.stop()
      await local.close()
    },
  }
}

/** A command as an operator starts it; it has printed where it listens. */
async function startCommand(args, environment) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  const ended = once(child, 'exit')
  let url = null
  const metricsUrl = await Promise.race([
    new Promise((resolve) =>
      createInterface({ input: child.stdout }).on('line', (line) => {
        url = /^posthorn listening on (\S+)$/.exec(line)?.[1] ?? url
        const found = /^posthorn metrics on (\S+)$/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      }),
    ),
    ended.then(([code]) => {
      throw new Error(`Expected posthorn ${args[0]} to go on, and it ended with ${code}:\n${said.join('\n')}`)
    }),
  ])
  return {
    url,
    metricsUrl,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function caller(url) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const call = async (path, body) =>
    (await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
  return Object.assign(call, { headers })
}

/** What happens once: endpoints, a duplicate that the store refuses, and an event id that is taken. */
async function populate(call, local) {
  await call('/app', { name: 'Acme', uid: 'acme' })
  for (const name of ['well', 'fails', 'hangs', 'other'])
    await call('/app/acme/endpoint', { uid: name, url: local.url(`/${name}`), filterTypes: [name] })
  await call('/app/acme/endpoint', { uid: 'well', url: local.url('/well') })
  for (let count = 0; count < 2; count += 1)
    await call('/app/acme/msg', { eventType: 'well', eventId: 'taken', payload: { count } })
}

/** Sends a message of each kind repeatedly, because a rate needs ongoing traffic. */
async function keepSending(call, signal) {
  for (let count = 0; !signal.aborted; count += 1) {
    for (const eventType of ['well', 'well', 'other', count % 2 === 0 ? 'fails' : 'hangs'])
      await call('/app/acme/msg', { eventType, payload: { count } })
    await call('/app/acme/msg', { eventType: 'well', eventId: 'taken', payload: {} })
    await call('/app/acme/endpoint', { uid: 'well', url: 'https://example.com/' })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
