import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const leaseMs = 2_000
export const pollMs = 200
export const kinds = ['invoice.paid', 'order.shipped', 'user.created']

const here = (file) => fileURLToPath(new URL(file, import.meta.url))

/** A child that ends with this process, however this one ends. Its warnings are many, and expected: `--verbose` shows them. */
export function startChild(script, args, environment = {}) {
  const child = fork(script, args, {
    execArgv: ['--import', here('end-with-parent.js')],
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', process.argv.includes('--verbose') ? 'inherit' : 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  return {
    child,
    lines,
    exited,
    /** Resolves with all that was said before: a killed process's last words are still in the pipe. */
    ended: Promise.all([exited, once(lines, 'close')]),
    async end(signal) {
      child.kill(signal)
      await this.ended
    },
  }
}

/** Sends, and notes what was accepted; with `worker` it delivers, too. */
export function startSender(dist, databaseUrl, role, accepted) {
  const sender = startChild(here('sender.js'), [dist, databaseUrl, role])
  sender.lines.on('line', (line) => accepted.add(line))
  return sender
}

/** Makes the endpoints, and can tell how things stand. */
export async function makeObserver(dist, store, receiver) {
  const { Posthorn } = await import(`${dist}/index.js`)
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.0/8'] })
  for (const type of kinds) await posthorn.endpoints.create({ application: 'acme', url: receiver.url(`/${type}`), types: [type] })
  return posthorn
}

export function openRows({ observer }) {
  return observer.deliveries.count({ status: ['pending', 'failed'] })
}

/** Those that did not end well, and enough of them to see what is wrong. */
export function unfinishedRows(observer) {
  return observer.deliveries.list({ status: ['pending', 'failed', 'dead'] }, { limit: 20 })
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Asks until it is so; a run that does not end is a run that failed. */
export async function within(ms, wanted, isSo) {
  for (const until = performance.now() + ms; performance.now() < until; await pause(20)) if (await isSo()) return
  throw new Error(`Expected ${wanted} within ${ms} ms, and waited in vain.`)
}
