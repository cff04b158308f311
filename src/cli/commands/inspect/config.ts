import { describeSettings } from '../../../config/describe.ts'
import { commandSources } from '../../../config/environment.ts'
import { exit } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, Option } from '../../command.ts'
import { print } from '../../print.ts'
import { columns } from '../../view/columns.ts'

const options: Readonly<Record<string, Option>> = { json: { type: 'boolean', sentence: 'prints JSON' } }

export const config: Command = {
  name: 'config',
  summary: 'shows every setting with its value and source',
  options,
  help: helpText({
    usage: 'config [options]',
    text: [
      'Shows every setting with its value and source. Flags win over the environment, the environment over the file',
      'posthorn.json (or the one that POSTHORN_CONFIG names), the file over the defaults. The file is a JSON object with',
      'the names of the environment: {"POSTHORN_PORT": 8080}. Secrets are never shown.',
    ],
    options,
  }),
  async run(chosen, terminal) {
    const settings = describeSettings(commandSources())
    print(terminal, chosen, { settings }, (screen) =>
      columns(
        ['SETTING', 'VALUE', 'ORIGIN', 'WHAT IT IS'],
        settings.map(({ env, value, origin, sentence }) => [env, shown(value), origin, sentence]),
        { ...screen, columns: null },
      ),
    )
    return exit.ok
  },
}

function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-'
  return Array.isArray(value) ? value.join(',') : `${value as string | number | boolean}`
}
