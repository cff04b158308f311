import { parseArgs } from 'node:util'
import { messageOf } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Command, CommandOptions, Family } from './command.ts'
import { chapters, words as known } from './command-table.ts'

/** What a command line asks for: a text to print, a command to run; or why it is refused. */
export type Understood =
  | { readonly kind: 'text' | 'refusal'; readonly text: string }
  | { readonly kind: 'command'; readonly command: Command; readonly options: CommandOptions; readonly given: readonly string[] }

export function understand(line: readonly string[], version: string): Understood {
  const [word, ...rest] = line
  if (word === '--version' || word === '-v') return text(version)
  if (word === undefined) return refusal(help())
  if (isHelp(word)) return rest.length === 0 ? text(help()) : understand([...rest, '--help'], version)
  const found = known.find(({ name }) => name === word)
  if (found === undefined) return refusal(`posthorn: unknown command "${word}".${didYouMean(word, namesOf(known))} "posthorn --help" lists all.`)
  return 'commands' in found ? understandFamily(found, rest) : understandCommand(found, found.name, rest)
}

function understandFamily(family: Family, [word, ...rest]: readonly string[]): Understood {
  if (word === undefined) return refusal(familyHelp(family))
  if (isHelp(word)) return text(familyHelp(family))
  const found = family.commands.find(({ name }) => name === word)
  if (found !== undefined) return understandCommand(found, `${family.name} ${found.name}`, rest)
  return refusal(`posthorn ${family.name}: unknown command "${word}".${didYouMean(word, namesOf(family.commands))} "posthorn ${family.name} --help" lists all.`)
}

function understandCommand(command: Command, name: string, args: readonly string[]): Understood {
  const takes = command.takes ?? []
  const options = { ...command.options, help: { type: 'boolean' as const, short: 'h' } }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
    if (values['help'] === true) return text(command.help)
    const wrong = wrongCount(takes, positionals)
    if (wrong !== null) return refusal(`posthorn ${name}: ${wrong} "posthorn ${name} --help" explains it.`)
    return { kind: 'command', command, options: values, given: positionals }
  } catch (thrown) {
    return refusal(`posthorn ${name}: ${refusedFlag(messageOf(thrown), Object.keys(options))}`)
  }
}

/** Node's own sentence, which advises how to pass what begins with a dash; a slip is likelier. */
function refusedFlag(said: string, options: readonly string[]): string {
  const flag = /^Unknown option '--?([^']*)'/.exec(said)?.[1]
  if (flag === undefined) return said
  return `Unknown option '--${flag}'.${didYouMean(`--${flag}`, options.map((name) => `--${name}`))}`
}

function wrongCount(takes: readonly string[], given: readonly string[]): string | null {
  const missing = takes.find((name, index) => name.startsWith('<') && given[index] === undefined)
  if (missing !== undefined) return `expected ${missing}, got nothing.`
  const extra = given[takes.length]
  return extra === undefined || takes.some((name) => name.includes('…')) ? null : `expected ${takes.length === 0 ? 'options only' : `${takes.join(' ')} only`}, got "${extra}" too.`
}

function help(): string {
  const width = Math.max(...known.map(({ name }) => name.length)) + 2
  return [
    'Posthorn delivers webhooks: signed, retried, dead-lettered, recovered after any restart.',
    '',
    'Usage: posthorn <command> [options]',
    ...chapters.flatMap(({ title, words }) => ['', `${title}:`, ...words.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`)]),
    '',
    'Examples:',
    '  posthorn dev                                     look at it; needs nothing',
    '  posthorn send invoice.paid --application acme --data \'{"id":7}\'',
    '  posthorn deliveries get dlv_…                    says in one sentence why it waits',
    '  posthorn dlq retry --all --dry-run               counts first',
    '',
    'Commands for operators open the database that POSTHORN_DATABASE_URL or --database names, or talk to a server:',
    '--server URL with POSTHORN_KEY. Data goes to stdout (JSON with --json), messages to stderr.',
    'Exit codes: 0 ok, 1 error, 2 usage, 3 not found or only partly done. posthorn <command> --help says more.',
  ].join('\n')
}

function familyHelp({ name, summary, commands }: Family): string {
  const lines = commands.map((command) => [[command.name, ...(command.takes ?? [])].join(' '), command.summary] as const)
  const width = Math.max(...lines.map(([usage]) => usage.length)) + 2
  return [`Usage: posthorn ${name} <command> [options]`, '', `${summary.charAt(0).toUpperCase()}${summary.slice(1)}:`, '', ...lines.map(([usage, said]) => `  ${usage.padEnd(width)}${said}`), '', `posthorn ${name} <command> --help says more.`].join('\n')
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h' || word === 'help'
}

function namesOf(among: readonly { readonly name: string }[]): string[] {
  return among.map(({ name }) => name)
}

function text(said: string): Understood {
  return { kind: 'text', text: said }
}

function refusal(said: string): Understood {
  return { kind: 'refusal', text: said }
}
