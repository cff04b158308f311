import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** A real process, watched line by line: tests wait for what it says, never for time to pass. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams
  readonly pid: number
  readonly lines: readonly string[]
  readonly stderr: string
  /** Resolves once stdout or stderr has said a line that matches, or so many of them; rejects if the program ends first. */
  says(pattern: RegExp, times?: number): Promise<string>
  /** Resolves when all it had to say was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

interface StartOptions {
  readonly atEnd?: (kill: () => Promise<void>) => void
  readonly cwd?: string | undefined
}

/** Starts a script under Node, with nothing of this process's settings; what still runs is killed at the test's end, or when `atEnd` says so. */
export function startProgram(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { atEnd = onTestFinished, cwd }: StartOptions = {},
): Program {
  const env = { PATH: process.env['PATH'], ...environment }
  const child = spawn(process.execPath, [script, ...args], { env, cwd })
  const lines: string[] = []
  const waiters: { pattern: RegExp; times: number; resolve: (line: string) => void; reject: (error: Error) => void }[] =
    []
  let stderr = ''
  let hasEnded = false

  function hear(line: string): void {
    for (const { pattern, times, resolve } of waiters)
      if (pattern.test(line) && said(pattern).length >= times) resolve(line)
  }

  function said(pattern: RegExp): string[] {
    return [...lines, ...stderr.split('\n')].filter((line) => pattern.test(line))
  }

  onLines(child.stdout, (line) => {
    lines.push(line)
    hear(line)
  })
  onLines(child.stderr, (line) => {
    stderr += `${line}\n`
    hear(line)
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      hasEnded = true
      for (const { pattern, reject } of waiters) reject(endedTooSoon(pattern))
      resolve({ code, signal })
    })
  })
  atEnd(async () => {
    if (!hasEnded) child.kill('SIGKILL')
    await ended
  })

  function endedTooSoon(pattern: RegExp): Error {
    return new Error(`The program ended before it said ${String(pattern)}:\n${lines.join('\n')}\n${stderr}`)
  }

  return {
    child,
    pid: child.pid ?? -1,
    lines,
    get stderr() {
      return stderr
    },
    ended,
    says(pattern, times = 1) {
      const line = said(pattern)[times - 1]
      if (line !== undefined) return Promise.resolve(line)
      if (hasEnded) return Promise.reject(endedTooSoon(pattern))
      return new Promise((resolve, reject) => waiters.push({ pattern, times, resolve, reject }))
    },
  }
}

function onLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    parts.forEach(onLine)
  })
  stream.on('end', () => {
    if (rest !== '') onLine(rest)
  })
}
