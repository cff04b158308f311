import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const restartAfterMs = 50
const mostRestarts = 2_000
const linesKept = 5

/**
 * A child that ends with this process, however that ends. `isReady` gets each of its lines and messages until one is the sign.
 * Its many warnings are expected: `--verbose` shows them all, and the last of them are kept to explain why it ended.
 */
export function startChild(
  script,
  args,
  { environment = {}, preloads = [], isReady = () => false, onMessage = () => undefined } = {},
) {
  const child = fork(script, args, {
    execArgv: ['end-with-parent', ...preloads].flatMap((name) => [
      '--import',
      fileURLToPath(new URL(`preload/${name}.js`, import.meta.url)),
    ]),
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lines = createInterface({ input: child.stdout })
  const lastWords = keepLastLines(child.stderr)
  const started = {
    child,
    lines,
    lastWords,
    isReady: false,
    wasKilled: false,
    ended: Promise.all([once(child, 'exit'), once(lines, 'close')]),
  }
  const look = (said) => (started.isReady ||= isReady(said))
  lines.on('line', look)
  child.on('message', (message) => {
    look(message)
    onMessage(message, child.pid)
  })
  // A message to a process that has just ended is lost, as if the process had ended a moment later.
  child.on('error', () => undefined)
  return started
}

/** Resolves with all earlier output: the last lines of a killed process are still in the pipe. */
export async function endChild(started, signal) {
  started.wasKilled = true
  started.child.kill(signal)
  await started.ended
}

/** Restarts a process whenever it ends, as a supervisor does, and reports those that ended by themselves. */
export function keepRunning(name, start, onUnexpectedEnd) {
  let isWanted = true
  let current = null
  const over = superviseUntilUnwanted()

  async function superviseUntilUnwanted() {
    for (let count = 0; isWanted && count < mostRestarts; count += 1) {
      current = start()
      const mine = current
      const [[code, signal]] = await mine.ended
      mine.isReady = false
      if (!mine.wasKilled)
        onUnexpectedEnd(`${name} ended by itself, ${signal ?? `exit code ${code}`}: ${mine.lastWords.join(' / ')}`)
      if (isWanted) await pause(restartAfterMs)
    }
  }

  return {
    name,
    get pid() {
      return current.child.pid
    },
    get isReady() {
      return current.isReady && current.child.exitCode === null && current.child.signalCode === null
    },
    send(message) {
      if (current.child.connected) current.child.send(message)
    },
    ready() {
      return within(60_000, `${name} to be ready`, () => this.isReady)
    },
    end: (signal) => endChild(current, signal),
    async stop() {
      isWanted = false
      await endChild(current, 'SIGTERM')
      await over
    },
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Polls until the condition holds; if it never does, the run has failed. */
export async function within(ms, wanted, isSo) {
  if (!(await isSoWithin(ms, isSo))) throw new Error(`Expected ${wanted} within ${ms} ms, and waited in vain.`)
}

/** Polls until the condition holds, or the time is over; returns which. A database should be polled less often than a variable. */
export async function isSoWithin(ms, isSo, everyMs = 20) {
  for (const until = performance.now() + ms; performance.now() < until; await pause(everyMs))
    if (await isSo()) return true
  return false
}

function keepLastLines(stream) {
  const kept = []
  createInterface({ input: stream }).on('line', (line) => {
    if (process.argv.includes('--verbose')) console.error(line)
    kept.push(line)
    if (kept.length > linesKept) kept.shift()
  })
  return kept
}
