// What the processes of a run must agree on.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { domain } from './cases.js'

export const healthyType = 'healthy.event'
export const neighbourType = 'neighbour.event'

/** Each body begins with its number, in so many digits: found without parsing. */
export const seqBytes = 12

const filler = 'x'.repeat(1_000_000)

export function bodyOf(seq, bodyBytes) {
  return String(seq).padStart(seqBytes, '0') + filler.slice(0, bodyBytes - seqBytes)
}

/** Hosts of their own on this machine: those with a receiver, and those where nobody listens. */
export const hostsAt = {
  bad: (index) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`,
  dead: (index) => `127.2.${Math.floor(index / 250)}.${(index % 250) + 1}`,
}

/** The machine's monotonic time, the same in all of its processes. */
export function nowMs() {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}

/** A Posthorn on the database in a folder, of the build in `dist`: not always that of this tree. */
export async function library(dist, folder, storeOptions = {}) {
  const { Posthorn } = await import(pathToFileURL(join(dist, 'index.js')).href)
  const { sqlite } = await import(pathToFileURL(join(dist, 'stores/sqlite/index.js')).href)
  return new Posthorn({
    store: sqlite(join(folder, 'bench.db'), storeOptions),
    allowedTargets: ['127.0.0.0/8', `*.${domain}`],
    endpointsPerApplication: 0,
  })
}

/** A process that answers questions, one after the other, and ends with its parent. */
export function startProcess(file) {
  const child = fork(new URL(file, import.meta.url), { serialization: 'advanced' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        const fail = (reason) => reject(new Error(`Expected ${file} to answer \`${message.ask}\`, got ${reason}.`))
        child.once('message', (reply) => (reply.error === undefined ? resolve(reply.answer) : fail(reply.error)))
        void exited.then((code) => fail(`its end with code ${code}`))
        child.send(message)
      }),
    /** At once: what it has under way is not waited for. */
    async end() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The other end of `startProcess`: a table of answers. */
export function answerParent(answers) {
  process.on('message', (message) => void answer(answers, message))
  process.on('disconnect', () => process.exit(0))
}

async function answer(answers, message) {
  try {
    process.send({ answer: await answers[message.ask](message) })
  } catch (error) {
    process.send({ error: error.stack })
  }
}
