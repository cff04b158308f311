import { existsSync } from 'node:fs'
import { systemClock } from '../../../clock.ts'
import { withoutPassword } from '../../../config/database-url.ts'
import { commandSources } from '../../../config/environment.ts'
import { settingsFrom } from '../../../config/sources.ts'
import type { Settings } from '../../../config/settings.ts'
import type { Copied } from '../../../stores/move/copy.ts'
import { exit, textOption } from '../../command.ts'
import type { Command, CommandOptions, Option, Terminal } from '../../command.ts'
import { databaseAt } from '../../database.ts'
import { helpText } from '../../help-text.ts'
import { print } from '../../print.ts'
import { columns } from '../../view/columns.ts'
import type { Screen } from '../../view/paint.ts'
import { stepsOn } from '../../view/progress.ts'

const options: Readonly<Record<string, Option>> = {
  from: { type: 'string', value: 'url', sentence: 'the file: sqlite:posthorn.db' },
  to: {
    type: 'string',
    value: 'url',
    sentence: 'the database: postgres://user:password@host:port/database (default: POSTHORN_DATABASE_URL)',
  },
  cancel: { type: 'boolean', sentence: 'puts a copied, or half copied, file back into use' },
  json: { type: 'boolean', sentence: 'prints JSON' },
}

export const copy: Command = {
  name: 'copy',
  summary: 'copies a whole SQLite file to PostgreSQL; continues where it was interrupted',
  options,
  help: helpText({
    usage: 'copy --from sqlite:path [--to url] [options]',
    text: [
      'Copies a SQLite file to an empty schema of PostgreSQL (POSTHORN_SCHEMA), with leases and schedules, and compares the two.',
      'Stop whatever uses the file first: a running engine is refused. Secrets are sealed again with POSTHORN_SECRETS_KEY.',
      'If it is interrupted, even by kill -9, the same command continues. Until it has ended, no worker starts on the',
      'target; once it has begun, nothing opens the file again, so that nothing is sent twice.',
    ],
    options,
    examples: [
      'posthorn copy --from sqlite:posthorn.db --to postgres://posthorn@db.example/posthorn',
      'posthorn copy --from sqlite:posthorn.db --cancel',
    ],
  }),
  async run(chosen, terminal) {
    const settings = settingsFrom(commandSources())
    const places = placesIn(chosen, settings)
    if (typeof places === 'string') {
      terminal.say(`posthorn copy: ${places} "posthorn copy --help" explains it.`)
      return exit.usage
    }
    return chosen['cancel'] === true
      ? takeBack(places, settings, terminal)
      : copyBetween(places, settings, { chosen, terminal })
  },
}

interface Places {
  readonly path: string
  readonly url: string
}

/** File and database, or what is wrong with them. */
function placesIn(chosen: CommandOptions, settings: Settings): Places | string {
  const from = textOption(chosen, 'from')
  if (from === undefined) return 'expected --from, such as sqlite:posthorn.db, got nothing.'
  const path = isKnown(from) ? databaseAt(from, settings).file : null
  if (path === null) return 'expected --from to be a SQLite file, such as sqlite:posthorn.db, got another database.'
  if (!existsSync(path)) return `expected --from to be a file that exists, got sqlite:${path}.`
  if (chosen['cancel'] === true) return { path, url: '' }
  const to = textOption(chosen, 'to') ?? settings.databaseUrl
  if (isKnown(to) && databaseAt(to, settings).file === null) return { path, url: to }
  return 'expected --to or POSTHORN_DATABASE_URL to be postgres://user:password@host:port/database, got another database.'
}

function isKnown(url: string): boolean {
  return /^(sqlite:.|postgres(ql)?:\/\/)/.test(url)
}

async function copyBetween(
  { path, url }: Places,
  { schema, prepare, secretsKey, plaintextSecrets }: Settings,
  { chosen, terminal }: { readonly chosen: CommandOptions; readonly terminal: Terminal },
): Promise<number> {
  const { copy: copyAll } = await import('../../../stores/move/copy.ts')
  // With the schema: two copies may go to two schemas of one database.
  const shown = `${withoutPassword(url)} (schema ${schema})`
  const progress = stepsOn(terminal)
  const key = secretsKey ?? undefined
  const copied = await copyAll({
    from: { path, secretsKey: key },
    to: { url, schema, prepare, secretsKey: key, plaintextSecrets },
    shownTarget: shown,
    now: () => systemClock.now(),
    signal: terminal.interrupted,
    onProgress: ({ table, copied: done, rows: matching }) =>
      progress.show({ done, matching, line: `${table} ${done} of ${matching}` }),
  }).finally(() => progress.end())
  if (!copied.isWhole) {
    terminal.say('Interrupted after a complete batch. Run the same command again to continue.')
    return exit.interrupted
  }
  print(terminal, chosen, copied, (screen) => reportOf(copied, [path, shown], screen))
  terminal.say(
    `Set POSTHORN_DATABASE_URL to the new database before you start workers. ${path} stays as it is, and is refused from now on.`,
  )
  return exit.ok
}

function reportOf(
  { tables, compared, isResumed }: Copied,
  [path, shown]: readonly [string, string],
  screen: Screen,
): string {
  const rows = Object.entries(tables).filter(([, count]) => count > 0)
  const sum = rows.reduce((total, [, count]) => total + count, 0)
  return [
    columns(
      ['TABLE', 'ROWS'],
      rows.map(([name, count]) => [name, String(count)]),
      screen,
    ),
    `copied sqlite:${path} to ${shown}${isResumed ? ', resumed' : ''}: ${sum} rows; counts equal, ${compared} rows compared`,
  ].join('\n')
}

async function takeBack({ path }: Places, { secretsKey }: Settings, { output, say }: Terminal): Promise<number> {
  const { cancelCopy } = await import('../../../stores/move/copy.ts')
  const move = await cancelCopy({ path, secretsKey: secretsKey ?? undefined })
  if (move === null) {
    say(`sqlite:${path} was not copied anywhere. Nothing was done.`)
    return exit.partial
  }
  output.write(`sqlite:${path} can be used again\n`)
  say(`Its deliveries are also in ${move.target}: drop that schema, or they are sent from there, too.`)
  return exit.ok
}
