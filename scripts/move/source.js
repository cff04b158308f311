import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endChild, isSoWithin, startChild, within } from '../crash/processes.js'
import { nameOf } from './receiver.js'

const paths = ['/done', '/in-flight', '/later', '/scheduled']
// No more than slow start lets through at once.
const inFlight = 4
const batch = 1_000
const waitMs = 600_000
const lookMs = 250

/**
 * A typical file to move: half of its deliveries have ended, some were in flight when the worker was killed, some are
 * scheduled, and the rest has not been tried. Returns the names under which the receiver must get each of them once.
 */
export async function fillSource({ dist, file, deliveries, receiver, settings, scheduledMs }) {
  const [{ Posthorn }, { sqlite }] = await Promise.all([load(dist, 'index.js'), load(dist, 'stores/sqlite/index.js')])
  const posthorn = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.0/8'] })
  const wanted = new Set()

  async function send(path, count, more = {}) {
    for (let start = 0; start < count; start += batch) {
      const messages = Array.from({ length: Math.min(batch, count - start) }, (_, index) => ({
        application: path.slice(1),
        type: 'invoice.paid',
        data: { number: start + index, dueAt: more.deliverAt ?? null },
        ...more,
      }))
      for (const { id } of await posthorn.send(messages)) wanted.add(nameOf(id, path))
    }
  }

  try {
    for (const path of paths) {
      const { secrets } = await posthorn.endpoints.create({ application: path.slice(1), url: receiver.url(path) })
      receiver.trust(path, secrets[0].value)
    }
    receiver.hold('/in-flight')
    await send('/done', Math.floor(deliveries / 2))
    const worker = startChild(join(dist, 'cli/main.js'), ['worker', '--database', `sqlite:${file}`], {
      environment: settings,
    })
    await allEnded(posthorn)
    await send('/in-flight', inFlight)
    await within(waitMs, 'some to be in flight', () => receiver.held() === inFlight)
    await endChild(worker, 'SIGKILL')
    const scheduled = Math.ceil(deliveries / 100)
    await send('/scheduled', scheduled, { deliverAt: Date.now() + scheduledMs })
    await send('/later', deliveries - wanted.size)
    receiver.hold(null)
    return wanted
  } finally {
    await posthorn.stop()
  }
}

/** Waits until nothing is left to send. */
export async function allEnded(posthorn) {
  const isDone = async () => {
    const { queue } = await posthorn.overview()
    return queue.fresh + queue.retries === 0
  }
  if (!(await isSoWithin(waitMs, isDone, lookMs))) throw new Error('Waited in vain until nothing was left to be sent.')
}

export function load(dist, path) {
  return import(pathToFileURL(join(dist, path)).href)
}
