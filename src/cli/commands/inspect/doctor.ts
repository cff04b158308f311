import { commandSources } from '../../../config/environment.ts'
import { settingsFrom } from '../../../config/sources.ts'
import { exit, textOption } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, Option } from '../../command.ts'
import { databaseChecks } from '../../doctor/database.ts'
import { endpointChecks } from '../../doctor/endpoint.ts'
import { serverChecks } from '../../doctor/server.ts'
import { clientFor, apiOptions } from '../../http-api/api-command.ts'
import { print } from '../../print.ts'
import { columns } from '../../view/columns.ts'

const options: Readonly<Record<string, Option>> = {
  endpoint: {
    type: 'string',
    value: 'id or url',
    sentence: 'also asks whether it may be called, and whether it can be reached; nothing is sent to it',
  },
  ...apiOptions,
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'looks for what is wrong: database, clock, disk, workers, an endpoint',
  options,
  help: helpText({
    usage: 'doctor [options]',
    text: ['Looks for what is wrong, and says what to do. Ends with 1 if something is.'],
    options,
    examples: [
      'posthorn doctor',
      'posthorn doctor --endpoint https://acme.example/hooks',
      'posthorn doctor --server https://posthorn.example',
    ],
  }),
  async run(chosen, terminal) {
    const settings = settingsFrom(commandSources())
    const database = textOption(chosen, 'database')
    const serverUrl = textOption(chosen, 'server') ?? (database === undefined ? settings.serverUrl : null)
    const endpoint = textOption(chosen, 'endpoint')
    const openClient = (): ReturnType<typeof clientFor> => clientFor(chosen, terminal)
    const checks = [
      ...(serverUrl === null
        ? await databaseChecks(database ?? settings.databaseUrl, settings)
        : await serverChecks(serverUrl, openClient)),
      ...(endpoint === undefined ? [] : await endpointChecks(endpoint, settings, openClient)),
    ]
    const ok = checks.every((check) => check.ok)
    print(terminal, chosen, { ok, checks }, () =>
      columns(
        ['', 'CHECK', 'FOUND'],
        checks.map((check) => [check.ok ? 'ok' : 'WRONG', check.name, check.sentence]),
      ),
    )
    return ok ? exit.ok : exit.error
  },
}
