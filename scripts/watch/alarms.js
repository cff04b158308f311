import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAlarmReceiver } from './alarm-receiver.js'
import { fastClock } from './fast-clock.js'

// A window of five minutes then takes five seconds.
const speed = 60
const day = 24 * 60 * 60 * 1000
const builtDist = new URL('../../dist', import.meta.url).pathname

/** Makes every alarm happen and end once, on a real database and over real sockets, and counts the notices of an operational webhook. */
export async function checkAlarms({ dist = builtDist } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-alarms-'))
  const receiver = await startAlarmReceiver()
  const system = await makeSystem(dist, join(folder, 'posthorn.db'), receiver)
  const notified = { raised: new Set(), resolved: new Set() }
  try {
    for (const provoke of [deadLetters, lateDeliveries, failingEndpoint, goneEndpoint, lostWorker, lostLease, fullDisk])
      await provoke({ ...system, receiver, seen: see(receiver, notified) })
    const { signals } = await import(`${dist}/core/alarms/signals.js`)
    return { total: signals.length, raised: notified.raised.size, resolved: notified.resolved.size }
  } finally {
    await system.posthorn.stop({ graceMs: 0 })
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeSystem(dist, file, receiver) {
  const { Posthorn } = await import(`${dist}/posthorn.js`)
  const { sqlite } = await import(`${dist}/stores/sqlite/index.js`)
  const clock = fastClock(speed)
  const disk = { freeBytes: 50, sizeBytes: 100 }
  const store = { ...sqlite(file, { plaintextSecrets: true }), disk: async () => disk }
  const posthorn = new Posthorn({
    store,
    clock,
    // One attempt for each message, and one that may take five minutes.
    maxRetries: 0,
    timeoutMs: 300_000,
    breaker: false,
    allowedTargets: ['127.0.0.0/8'],
    alarmOldestDueMs: 60_000,
    alarmBacklogRows: 5,
  })
  await posthorn.start()
  await posthorn.alarms.addTarget({ url: `${receiver.base}/operations`, types: ['alarm.raised', 'alarm.resolved'] })
  const endpoint = async (name) =>
    (await posthorn.endpoints.create({ application: name, url: `${receiver.base}/${name}` })).id
  const send = (name, count) =>
    posthorn.send(Array.from({ length: count }, (_, id) => ({ application: name, type: 'order.paid', data: { id } })))
  return { posthorn, store, clock, disk, endpoint, send }
}

/** Waits for notices about signals, and counts each once. */
function see(receiver, notified) {
  return async (kind, ...signals) => {
    for (const signal of signals) {
      await receiver.notice(`alarm.${kind}`, signal)
      notified[kind].add(signal)
    }
  }
}

async function deadLetters({ endpoint, send, receiver, seen }) {
  receiver.answer('/broken', 500)
  await endpoint('broken')
  await send('broken', 20)
  await seen('raised', 'dead-letter', 'dead-letter-rate')
  await seen('resolved', 'dead-letter', 'dead-letter-rate')
}

async function lateDeliveries({ endpoint, send, receiver, seen }) {
  receiver.answer('/slow', 'hold')
  await endpoint('slow')
  await send('slow', 30)
  await seen('raised', 'backlog', 'oldest-due')
  receiver.release('/slow')
  await seen('resolved', 'backlog', 'oldest-due')
}

async function failingEndpoint({ endpoint, send, receiver, clock, posthorn, seen }) {
  receiver.answer('/failing', 500)
  await endpoint('failing')
  await send('failing', 10)
  await posthorn.idle()
  clock.skip(day)
  await seen('raised', 'endpoint-failing')
  receiver.answer('/failing', 200)
  await send('failing', 1)
  await seen('resolved', 'endpoint-failing')
}

async function goneEndpoint({ endpoint, send, receiver, posthorn, seen }) {
  receiver.answer('/gone', 410)
  const id = await endpoint('gone')
  await send('gone', 1)
  await seen('raised', 'endpoint-disabled')
  await posthorn.endpoints.enable(id)
  await seen('resolved', 'endpoint-disabled')
}

/** Another worker was seen once, and never again. */
async function lostWorker({ store, clock, seen }) {
  const now = clock.now()
  const killed = { id: 'killed', pid: 1, host: 'elsewhere', startedAt: now }
  await store.beat(killed, { now, goneBefore: 0, sharesAmong: 1, waits: [] })
  await seen('raised', 'worker-lost')
  await seen('resolved', 'worker-lost')
}

/** A delivery is cancelled while it is on the wire: its worker no longer has the lease. */
async function lostLease({ endpoint, send, receiver, posthorn, seen }) {
  receiver.answer('/cancelled', 'hold')
  const endpointId = await endpoint('cancelled')
  await send('cancelled', 1)
  while (receiver.held() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await posthorn.cancel({ endpointId })
  await seen('raised', 'lease-lost')
  receiver.release('/cancelled')
  await seen('resolved', 'lease-lost')
}

async function fullDisk({ disk, seen }) {
  disk.freeBytes = 4
  await seen('raised', 'disk-nearly-full')
  disk.freeBytes = 50
  await seen('resolved', 'disk-nearly-full')
}
