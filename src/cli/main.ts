#!/usr/bin/env node
import { systemClock } from '../clock.ts'
import { runCommandLine } from './command-line.ts'
import { exit } from './command.ts'
import type { Terminal } from './command.ts'

const sameSignalMs = 100

sayWarningsInOneLine()
// The reader of our output may have stopped, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(exit.ok))
process.exitCode = await runCommandLine(process.argv.slice(2), terminal())

/** The first signal requests an orderly shutdown, the second one ends the process at once. */
function terminal(): Terminal {
  const interruption = new AbortController()
  let interruptedAt = Number.POSITIVE_INFINITY
  function interrupt(): void {
    const now = systemClock.now()
    // Under npm one Ctrl-C arrives twice: from the terminal, and passed on by npm.
    if (now - interruptedAt > sameSignalMs) process.exit(exit.interrupted)
    interruptedAt = Math.min(interruptedAt, now)
    interruption.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt)
  return {
    input: process.stdin,
    output: process.stdout,
    messages: process.stderr,
    say,
    interrupted: interruption.signal,
    interrupt,
  }
}

/** Node prints warnings in its own form; users of a command need only the sentence. Posthorn's own warnings come as events. */
function sayWarningsInOneLine(): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    const code = 'code' in warning ? String(warning.code) : ''
    if (!code.startsWith('POSTHORN_')) say(`warning: ${warning.message}`)
  })
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
