import { readFileSync } from 'node:fs'
import { commandSources } from '../../config/environment.ts'
import { settingsFrom } from '../../config/sources.ts'
import type { Settings } from '../../config/settings.ts'
import { messageOf, PosthornError } from '../../core/errors.ts'
import { helpText, textOption } from '../command.ts'
import { inFlagTerms } from './flag-names.ts'
import type { Command, CommandOptions, Option, Terminal } from '../command.ts'
import type { Operator } from './operator.ts'
import { remoteOperator } from './remote.ts'

/** A command that talks to an operator, and to nothing else. */
export interface OperatorCommand {
  /** With the name of its family: `dlq retry`. */
  readonly name: string
  readonly summary: string
  readonly takes?: readonly string[]
  readonly text?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly examples?: readonly string[]
  run(call: OperatorCall): Promise<number>
}

export interface OperatorCall {
  readonly operator: Operator
  readonly options: CommandOptions
  readonly given: readonly string[]
  readonly terminal: Terminal
  /** Shows an answer: as it is with --json, else as people read it. */
  show(answer: unknown, text: () => string): void
}

/** Options of every command that talks to an operator. */
export const operatorOptions: Readonly<Record<string, Option>> = {
  server: { type: 'string', value: 'url', sentence: 'talks to this server, instead of opening the database (POSTHORN_SERVER)' },
  'key-file': { type: 'string', value: 'path', sentence: 'the file with the API key for it (or POSTHORN_KEY, POSTHORN_KEY_FILE)' },
  database: { type: 'string', value: 'url', sentence: 'opens this database (POSTHORN_DATABASE_URL)' },
  json: { type: 'boolean', sentence: 'prints JSON' },
}

export function operatorCommand({ name, summary, takes = [], text = [], options: own = {}, examples = [], run }: OperatorCommand): Command {
  const options = { ...own, ...operatorOptions }
  return {
    name: name.split(' ').at(-1) ?? name,
    summary,
    takes,
    options,
    help: helpText({ usage: [name, ...takes, '[options]'].join(' '), text: [`${capital(summary)}.`, ...text], options, examples: examples.map((example) => `posthorn ${example}`) }),
    async run(chosen, terminal, given) {
      const operator = await operatorFor(chosen, terminal)
      try {
        return await run({ operator, options: chosen, given, terminal, show: (answer, shown) => print(terminal, chosen, answer, shown) })
      } catch (thrown) {
        throw thrown instanceof PosthornError ? new PosthornError(thrown.code, inFlagTerms(thrown.message, Object.keys(options), takes), { cause: thrown }) : thrown
      } finally {
        await operator.close()
      }
    },
  }
}

/** The operator that the options, the environment or the file name, in this order; a server before a database. */
export async function operatorFor(options: CommandOptions, terminal: Pick<Terminal, 'say'>): Promise<Operator> {
  const settings = settingsFrom(commandSources())
  const [server, database] = [textOption(options, 'server'), textOption(options, 'database')]
  const serverUrl = server ?? (database === undefined ? settings.serverUrl : null)
  if (serverUrl !== null) return remoteOperator(serverUrl, keyOf(options, settings))
  // Loaded only now: whoever talks to a server needs no database.
  const { localOperator } = await import('./local.ts')
  return localOperator(database ?? settings.databaseUrl, settings, terminal.say)
}

/** Data, as JSON if that was asked for, else as text. */
export function print({ output }: Pick<Terminal, 'output'>, { json }: CommandOptions, answer: unknown, text: () => string): void {
  output.write(`${json === true ? JSON.stringify(answer) : text()}\n`)
}

function keyOf(options: CommandOptions, { key }: Settings): string | null {
  const path = textOption(options, 'key-file')
  return path === undefined ? key : readSecret(path, 'key-file')
}

/** A secret from a file: on the command line everybody on the machine could read it. */
export function readSecret(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new PosthornError('invalid_argument', `Expected \`--${option}\` to name a file that can be read: ${messageOf(cause)}.`, { cause })
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
