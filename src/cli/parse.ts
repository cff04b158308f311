import { parseArgs } from 'node:util'
import { messageOf } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Command, CommandGroup, CommandOptions } from './command.ts'
import { commands } from './command-table.ts'
import { groupHelp, overviewHelp } from './overview-help.ts'

/** The meaning of a command line: a text to print, a command to run, or why it is refused. */
type ParsedCommandLine =
  | { readonly kind: 'text' | 'refusal'; readonly text: string }
  | {
      readonly kind: 'command'
      readonly command: Command
      readonly options: CommandOptions
      readonly given: readonly string[]
    }

export function parseCommandLine(args: readonly string[], version: string): ParsedCommandLine {
  const [word, ...rest] = args
  if (word === '--version' || word === '-v') return print(version)
  if (word === undefined) return refuse(overviewHelp())
  if (isHelp(word)) return rest.length === 0 ? print(overviewHelp()) : parseCommandLine([...rest, '--help'], version)
  const found = commands.find(({ name }) => name === word)
  if (found === undefined)
    return refuse(
      `posthorn: unknown command "${word}".${didYouMean(word, namesOf(commands))} "posthorn --help" lists all.`,
    )
  return 'commands' in found ? parseGroup(found, rest) : parseCommand(found, found.name, rest)
}

function parseGroup(group: CommandGroup, [word, ...rest]: readonly string[]): ParsedCommandLine {
  if (word === undefined) return refuse(groupHelp(group))
  if (isHelp(word)) return print(groupHelp(group))
  const found = group.commands.find(({ name }) => name === (word === 'list' ? 'ls' : word))
  if (found !== undefined) return parseCommand(found, `${group.name} ${found.name}`, rest)
  const suggestion = didYouMean(word, namesOf(group.commands))
  return refuse(
    `posthorn ${group.name}: unknown command "${word}".${suggestion} "posthorn ${group.name} --help" lists all.`,
  )
}

function parseCommand(command: Command, name: string, args: readonly string[]): ParsedCommandLine {
  const options = { ...command.options, help: { type: 'boolean' as const, short: 'h' } }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
    if (values['help'] === true) return print(command.help)
    const problem = wrongCount(command.takes ?? [], positionals)
    if (problem !== null) return refuse(`posthorn ${name}: ${problem} "posthorn ${name} --help" explains it.`)
    const stray = wrongChoice(command.options, values)
    if (stray !== null) return refuse(`posthorn ${name}: ${stray}`)
    return { kind: 'command', command, options: values, given: positionals }
  } catch (thrown) {
    return refuse(`posthorn ${name}: ${flagProblem(messageOf(thrown), Object.keys(options))}`)
  }
}

/** Node's own message explains how to pass a value that begins with a dash; a typo is more likely. */
function flagProblem(sentence: string, options: readonly string[]): string {
  const flag = /^Unknown option '--?([^']*)'/.exec(sentence)?.[1]
  if (flag === undefined) return sentence
  const flags = options.map((name) => `--${name}`)
  return `Unknown option '--${flag}'.${didYouMean(`--${flag}`, flags)}`
}

function wrongCount(takes: readonly string[], given: readonly string[]): string | null {
  const missing = takes.find((name, index) => name.startsWith('<') && given[index] === undefined)
  if (missing !== undefined) return `expected ${missing}, got nothing.`
  const extra = given[takes.length]
  if (extra === undefined || takes.some((name) => name.includes('…'))) return null
  return `expected ${takes.length === 0 ? 'options only' : `${takes.join(' ')} only`}, got "${extra}" too.`
}

/** Refuses invalid values of options before a server is called. */
function wrongChoice(options: Command['options'], values: CommandOptions): string | null {
  for (const [name, { choices }] of Object.entries(options)) {
    const given = [values[name] ?? []].flat().flatMap((value) => String(value).split(','))
    const stray = choices === undefined ? undefined : given.find((value) => !choices.includes(value))
    if (stray !== undefined && choices !== undefined)
      return `expected --${name} to be ${listed(choices)}, got "${stray}".${didYouMean(stray, choices)}`
  }
  return null
}

/** `one, two or three` */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h' || word === 'help'
}

function namesOf(among: readonly { readonly name: string }[]): string[] {
  return among.map(({ name }) => name)
}

function print(text: string): ParsedCommandLine {
  return { kind: 'text', text }
}

function refuse(text: string): ParsedCommandLine {
  return { kind: 'refusal', text }
}
