// Programs that pages start: run to their end, or until they have reported that they are ready.
import { spawn } from 'node:child_process'
import { connect } from 'node:net'

const longestMs = 600_000
const started = new Set()

// However this process ends, its children end with it.
process.on('exit', () => {
  for (const program of started) signal(program, 'SIGKILL')
})
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => process.exit(130))

/** A command under bash in a separate process group, so that nothing it started is left behind. */
export function start(command, { cwd, env }) {
  const child = spawn('bash', ['-eo', 'pipefail', '-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const program = { command, child, stdout: '', all: '', code: null, heard: new Set() }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8')
    child[name].on('data', (text) => {
      if (name === 'stdout') program.stdout += text
      program.all += text
      for (const listener of program.heard) listener()
    })
  }
  started.add(program)
  program.ended = new Promise((resolve) => {
    child.on('close', (code, signalName) => {
      program.code = code ?? signalName
      for (const listener of program.heard) listener()
      resolve(program.code)
    })
  })
  return program
}

/** Runs it to its end; any exit code but 0 is an error with all its output. */
export async function run(command, place, allowed = [0]) {
  const program = start(command, place)
  const timer = setTimeout(() => signal(program, 'SIGKILL'), longestMs)
  const code = await program.ended
  clearTimeout(timer)
  started.delete(program)
  if (!allowed.includes(code)) throw new Error(`${command}\nended with ${code}:\n${program.all}`)
  return program
}

/** Resolves with the first match in its output; rejects if it ends before. */
export function says(program, pattern, from = 0) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => settle(reject, new Error(`${program.command}\nnever said ${pattern}:\n${program.all}`)),
      longestMs,
    )
    function settle(end, value) {
      clearTimeout(timer)
      program.heard.delete(listen)
      end(value)
    }
    function listen() {
      const match = pattern.exec(program.all.slice(from))
      if (match !== null) settle(resolve, match)
      else if (program.code !== null)
        settle(
          reject,
          new Error(`${program.command}\nended with ${program.code} before it said ${pattern}:\n${program.all}`),
        )
    }
    program.heard.add(listen)
    listen()
  })
}

/** Resolves once something takes connections there; rejects if the program ends before. */
export async function listens(program, port) {
  const end = Date.now() + 120_000
  while (program.code === null && Date.now() < end) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Expected a server on port ${port}, and there is none.\n${program.all}`)
}

/** For a comment "receiver FILE, then COMMAND": the snippet is written to the file, and the command runs it. */
export function fileAndCommand({ kind, rest }) {
  const [, file, command] = /^(\S+), then (.+)$/.exec(rest) ?? []
  if (command === undefined) throw new Error(`Expected "${kind} FILE, then COMMAND", got "${kind} ${rest}".`)
  return { file, command }
}

/** Ends a program and everything it started, in order. */
export async function stop(program, name = 'SIGTERM') {
  if (program.code === null) signal(program, name)
  const timer = setTimeout(() => signal(program, 'SIGKILL'), 20_000)
  await program.ended
  clearTimeout(timer)
  signal(program, 'SIGKILL')
  started.delete(program)
}

function signal({ child }, name) {
  try {
    process.kill(-child.pid, name)
  } catch (thrown) {
    // The whole group has already ended.
    if (thrown.code !== 'ESRCH') throw thrown
  }
}
