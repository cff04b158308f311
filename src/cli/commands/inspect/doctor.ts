import { commandSources } from '../../../config/environment.ts'
import type { Settings } from '../../../config/settings.ts'
import { settingsFrom } from '../../../config/sources.ts'
import { messageOf } from '../../../core/errors.ts'
import { exit, textOption } from '../../command.ts'
import { helpText } from '../../help-text.ts'
import type { Command, CommandOptions, Option, Terminal } from '../../command.ts'
import type { Check } from '../../doctor/check.ts'
import { databaseChecks } from '../../doctor/database.ts'
import { endpointChecks } from '../../doctor/endpoint.ts'
import { portCheck } from '../../doctor/port.ts'
import { serverChecks } from '../../doctor/server.ts'
import { settingChecks } from '../../doctor/settings.ts'
import { clientFor, apiOptions } from '../../http-api/api-command.ts'
import { print } from '../../print.ts'
import { columns } from '../../view/columns.ts'

const options: Readonly<Record<string, Option>> = {
  endpoint: {
    type: 'string',
    value: 'id or url',
    sentence: 'also checks whether it may be called and can be reached; sends nothing to it',
  },
  ...apiOptions,
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'looks for problems: database, clock, leases, disk, connections, settings, an endpoint',
  options,
  help: helpText({
    usage: 'doctor [options]',
    text: [
      'Looks for problems, and says what to do. Each line is ok, warn (it works, but not for long or not',
      'as it should) or fail. Exits with 1 if any is fail.',
    ],
    options,
    examples: [
      'posthorn doctor',
      'posthorn doctor --endpoint https://acme.example/hooks',
      'posthorn doctor --server https://posthorn.example',
    ],
  }),
  async run(chosen, terminal) {
    const checks = await runChecks(chosen, terminal)
    const ok = checks.every(({ level }) => level !== 'fail')
    print(terminal, chosen, { ok, checks }, (screen) =>
      columns(
        ['', 'CHECK', 'FOUND'],
        checks.map(({ level, name, sentence }) => [level, name, sentence]),
        // The advice is at the end of each line.
        { ...screen, columns: null },
      ),
    )
    return ok ? exit.ok : exit.error
  },
}

async function runChecks(chosen: CommandOptions, terminal: Terminal): Promise<Check[]> {
  let settings: Settings
  try {
    settings = settingsFrom(commandSources())
  } catch (thrown) {
    // If the settings cannot be read, nothing else can be checked.
    return [{ name: 'settings', level: 'fail', sentence: messageOf(thrown) }]
  }
  const database = textOption(chosen, 'database')
  const serverUrl = textOption(chosen, 'server') ?? (database === undefined ? settings.serverUrl : null)
  const endpoint = textOption(chosen, 'endpoint')
  const openClient = (): ReturnType<typeof clientFor> => clientFor(chosen, terminal)
  return [
    ...(serverUrl === null
      ? await localChecks(database ?? settings.databaseUrl, settings)
      : await serverChecks(serverUrl, openClient)),
    ...(endpoint === undefined ? [] : await endpointChecks(endpoint, settings, openClient)),
  ]
}

/** The settings that a process here would use. */
async function localChecks(databaseUrl: string, settings: Settings): Promise<Check[]> {
  const { host, port, metricsPort } = settings
  return [
    ...(await databaseChecks(databaseUrl, settings)),
    await portCheck({ name: 'port', host, port, setting: 'POSTHORN_PORT' }),
    ...(metricsPort === null
      ? []
      : [await portCheck({ name: 'metrics', host, port: metricsPort, setting: 'POSTHORN_METRICS_PORT' })]),
    ...settingChecks(settings),
  ]
}
