import { commandSources } from '../../config/environment.ts'
import type { Settings } from '../../config/settings.ts'
import { settingsFrom } from '../../config/sources.ts'
import { PosthornError } from '../../core/errors.ts'
import { exit, textOption } from '../command.ts'
import type { Command, CommandOptions, Option, Terminal } from '../command.ts'
import { capitalized, helpText } from '../help-text.ts'
import { print } from '../print.ts'
import type { Screen } from '../view/paint.ts'
import { readSecret } from '../read-file.ts'
import type { ApiClient } from './api-client.ts'
import { withFlagNames } from './flag-names.ts'
import { remoteClient } from './remote-client.ts'

/** A command that only calls the HTTP API. */
interface ApiCommand {
  /** With the name of its group: `dlq retry`. */
  readonly name: string
  readonly summary: string
  readonly takes?: readonly string[]
  readonly text?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly examples?: readonly string[]
  run(call: ApiCall): Promise<number>
}

export interface ApiCall {
  readonly client: ApiClient
  readonly options: CommandOptions
  readonly given: readonly string[]
  readonly terminal: Terminal
  /** Shows a response: unchanged with --json, otherwise formatted for people. */
  show(response: unknown, text: (screen: Screen) => string): void
}

/** Options of every command that calls the HTTP API. */
export const apiOptions: Readonly<Record<string, Option>> = {
  server: {
    type: 'string',
    value: 'url',
    sentence: 'calls this server, instead of opening the database (POSTHORN_SERVER)',
  },
  'key-file': {
    type: 'string',
    value: 'path',
    sentence: 'the file with the API key for it (or POSTHORN_KEY, POSTHORN_KEY_FILE)',
  },
  database: { type: 'string', value: 'url', sentence: 'opens this database (POSTHORN_DATABASE_URL)' },
  json: { type: 'boolean', sentence: 'prints JSON' },
}

export function apiCommand(command: ApiCommand): Command {
  const { name, takes = [], summary } = command
  const options = { ...command.options, ...apiOptions }
  return {
    name: name.split(' ').at(-1) ?? name,
    summary,
    takes,
    options,
    help: helpOf(command, options),
    async run(chosen, terminal, given) {
      const client = await clientFor(chosen, terminal)
      try {
        return await command.run({
          client,
          options: chosen,
          given,
          terminal,
          show: (response, text) => print(terminal, chosen, response, text),
        })
      } catch (thrown) {
        if (!(thrown instanceof PosthornError)) throw thrown
        const sentence = withFlagNames(thrown.message, Object.keys(options), takes)
        if (thrown.code !== 'invalid_argument') throw new PosthornError(thrown.code, sentence, { cause: thrown })
        terminal.say(`posthorn ${name}: ${sentence}`)
        return exit.usage
      } finally {
        await client.close()
      }
    },
  }
}

/** The client for the options, the environment or the file, in this order; a server takes precedence over a database. */
export async function clientFor(options: CommandOptions, terminal: Pick<Terminal, 'say'>): Promise<ApiClient> {
  const settings = settingsFrom(commandSources())
  const [server, database] = [textOption(options, 'server'), textOption(options, 'database')]
  const serverUrl = server ?? (database === undefined ? settings.serverUrl : null)
  if (serverUrl !== null) return remoteClient(serverUrl, keyOf(options, settings))
  // Loaded only now: calling a server needs no database.
  const { localClient } = await import('./local-client.ts')
  return localClient(database ?? settings.databaseUrl, settings, terminal.say)
}

function helpOf(
  { name, summary, takes = [], text = [], examples = [] }: ApiCommand,
  options: Readonly<Record<string, Option>>,
): string {
  return helpText({
    usage: [name, ...takes, '[options]'].join(' '),
    text: [`${capitalized(summary)}.`, ...text],
    options,
    examples: examples.map((example) => `posthorn ${example}`),
  })
}

function keyOf(options: CommandOptions, { key }: Settings): string | null {
  const path = textOption(options, 'key-file')
  return path === undefined ? key : readSecret(path, 'key-file')
}
