#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import { messageOf, PosthornError } from '../core/errors.ts'
import { version } from '../posthorn.ts'
import type { Command, CommandOptions, Terminal } from './command.ts'
import { dev } from './commands/dev.ts'
import { migrate } from './commands/migrate.ts'
import { serve } from './commands/serve.ts'
import { worker } from './commands/worker.ts'
import { nearest } from './nearest.ts'

const commands: readonly Command[] = [serve, dev, worker, migrate]
const usageError = 2
const sameSignalMs = 100

process.exitCode = await main(process.argv.slice(2))

async function main([word, ...rest]: readonly string[]): Promise<number> {
  if (word === '--version' || word === '-v') return print(version)
  if (word === '--help' || word === '-h' || word === 'help') return print(help())
  if (word === undefined) return refuse(help())
  const command = commands.find(({ name }) => name === word)
  if (command === undefined) return refuse(`posthorn: ${unknownCommand(word)}`)

  const options = optionsOf(command, rest)
  if (typeof options === 'string') return refuse(`posthorn ${command.name}: ${options}`)
  if (options['help'] === true) return print(command.help)
  return run(command, options)
}

async function run(command: Command, options: CommandOptions): Promise<number> {
  sayWarningsInOneLine()
  // Whoever reads us may have seen enough, as `head` does.
  process.stdout.on('error', () => process.exit(0))
  try {
    return await command.run(options, terminal())
  } catch (thrown) {
    // An error of ours says what to do. Anything else is a defect, and its stack says where.
    const isOurs = thrown instanceof PosthornError
    say(`posthorn: ${isOurs || !(thrown instanceof Error) ? messageOf(thrown) : (thrown.stack ?? thrown.message)}`)
    return 1
  }
}

/** The first signal asks for an orderly end, the second one ends at once. */
function terminal(): Terminal {
  const interruption = new AbortController()
  let interruptedAt = Number.POSITIVE_INFINITY
  function interrupt(): void {
    const now = systemClock.now()
    // Under npm one Ctrl-C arrives twice: from the terminal, and passed on by npm.
    if (now - interruptedAt > sameSignalMs) process.exit(130)
    interruptedAt = Math.min(interruptedAt, now)
    interruption.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt)
  return { input: process.stdin, output: process.stdout, say, interrupted: interruption.signal, interrupt }
}

function optionsOf({ options }: Command, args: string[]): CommandOptions | string {
  try {
    return parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } }, strict: true, allowPositionals: false }).values
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/** Node prints a warning in a form of its own; a command's user needs the sentence. What Posthorn warns of is heard on its bus. */
function sayWarningsInOneLine(): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    const code = 'code' in warning ? String(warning.code) : ''
    if (!code.startsWith('POSTHORN_')) say(`warning: ${warning.message}`)
  })
}

function unknownCommand(word: string): string {
  const meant = nearest(word, commands.map(({ name }) => name))
  return `unknown command "${word}".${meant === null ? '' : ` Did you mean "${meant}"?`} "posthorn --help" lists all.`
}

function help(): string {
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`)
  return [
    'Posthorn delivers webhooks: signed, retried, dead-lettered, recovered after any restart.',
    '',
    'Usage: posthorn <command> [options]',
    '',
    ...list,
    '',
    '  --help      shows this, or the help of a command: posthorn dev --help',
    '  --version   shows the version',
  ].join('\n')
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function refuse(text: string): number {
  say(text)
  return usageError
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
