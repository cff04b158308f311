#!/usr/bin/env node
import { systemClock } from '../clock.ts'
import { messageOf, PosthornError } from '../core/errors.ts'
import { version } from '../version.ts'
import { exit } from './command.ts'
import type { Command, CommandOptions, Terminal } from './command.ts'
import { understand } from './understand.ts'

const sameSignalMs = 100

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const understood = understand(words, version)
  switch (understood.kind) {
    case 'text':
      process.stdout.write(`${understood.text}\n`)
      return exit.ok
    case 'refusal':
      say(understood.text)
      return exit.usage
    case 'command':
      return run(understood.command, understood.options, understood.given)
  }
}

async function run(command: Command, options: CommandOptions, given: readonly string[]): Promise<number> {
  sayWarningsInOneLine()
  // Whoever reads us may have seen enough, as `head` does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(exit.ok))
  try {
    return await command.run(options, terminal(), given)
  } catch (thrown) {
    // An error of ours says what to do. Anything else is a defect, and its stack says where.
    const isOurs = thrown instanceof PosthornError
    say(`posthorn: ${isOurs || !(thrown instanceof Error) ? messageOf(thrown) : (thrown.stack ?? thrown.message)}`)
    return isOurs && thrown.code === 'not_found' ? exit.partial : exit.error
  }
}

/** The first signal asks for an orderly end, the second one ends at once. */
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
  return { input: process.stdin, output: process.stdout, messages: process.stderr, say, interrupted: interruption.signal, interrupt }
}

/** Node prints a warning in a form of its own; a command's user needs the sentence. What Posthorn warns of is heard on its bus. */
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
