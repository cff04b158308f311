import { join } from 'node:path'
import { makeObserver } from './observer.js'
import { keepTablesOn, schemaOn, startServer } from './postgres-server.js'
import { keepRunning, startChild } from './processes.js'
import { startProxy } from './proxy.js'
import { makeSending } from './sending.js'
import { makeSystem } from './system.js'

/** A separate schema, any number of workers, and a sender next to them. */
export async function onPostgres(given, receiver, witness) {
  const server = given.databaseUrl === null ? await startServer() : schemaOn(given.databaseUrl)
  if (given.disk !== null) await keepTablesOn(given.disk.path, server.url)
  const { schema } = server
  const { postgres } = await import(`${given.dist}/stores/postgres/index.js`)
  const observer = await makeObserver(given.dist, postgres(server.url, { plaintextSecrets: true, schema }), receiver)
  const proxies = given.isProxied
    ? await Promise.all(Array.from({ length: given.workers }, () => startProxy(server.url)))
    : []
  const unexpectedEnds = []
  const workers = Array.from({ length: given.workers }, (_, index) => {
    const start = () =>
      startWorker(
        given,
        witness,
        { url: proxies[index]?.url ?? server.url, schema },
        given.clockShiftsMs[index % given.clockShiftsMs.length],
      )
    return keepRunning(`worker ${index + 1}`, start, (text) => unexpectedEnds.push(text))
  })
  const sending = makeSending({ dist: given.dist, databaseUrl: server.url, schema, given, witness, delivers: false })
  const sender = keepRunning('the sender', sending.start, (text) => unexpectedEnds.push(text))

  return makeSystem({
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

function startWorker({ dist, leaseMs, pollMs }, witness, { url, schema }, clockShiftMs) {
  return startChild(join(dist, 'cli/main.js'), ['worker'], {
    environment: {
      POSTHORN_DATABASE_URL: url,
      POSTHORN_SCHEMA: schema,
      POSTHORN_PLAINTEXT_SECRETS: '1',
      POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
      POSTHORN_LEASE_MS: String(leaseMs),
      POSTHORN_POLL_MS: String(pollMs),
      POSTHORN_SHUTDOWN_GRACE_MS: '5000',
      CRASH_CLOCK_SHIFT_MS: String(clockShiftMs),
      ...witness.environment,
    },
    preloads: [...witness.preloads, 'shift-clock'],
    isReady: (said) => typeof said === 'string',
    onMessage: witness.heard,
  })
}
