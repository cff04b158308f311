import { existsSync } from 'node:fs'
import { commandSources } from '../../../config/environment.ts'
import { settingsFrom } from '../../../config/sources.ts'
import type { Settings } from '../../../config/settings.ts'
import { exit, textOption } from '../../command.ts'
import type { Command, CommandOptions, Option } from '../../command.ts'
import { databaseAt } from '../../database.ts'
import { helpText } from '../../help-text.ts'
import { print } from '../../print.ts'

const options: Readonly<Record<string, Option>> = {
  database: { type: 'string', value: 'url', sentence: 'the database: sqlite:path (default: POSTHORN_DATABASE_URL)' },
  json: { type: 'boolean', sentence: 'prints JSON' },
}

export const backup: Command = {
  name: 'backup',
  summary: 'backs up a SQLite file with its key, while a server runs on it',
  takes: ['<file>'],
  options,
  help: helpText({
    usage: 'backup <file> [options]',
    text: [
      'Writes the database as it is at this moment to <file>, and its key to <file>.key, both readable by you only.',
      'Nothing has to be stopped. The result is checked before it gets its name. On PostgreSQL use pg_dump.',
    ],
    options,
    examples: ['posthorn backup /backups/posthorn-2026-01-31.db', 'posthorn restore /backups/posthorn-2026-01-31.db'],
  }),
  async run(chosen, terminal, [file = '']) {
    const settings = settingsFrom(commandSources())
    const place = fileIn(chosen, settings)
    if (place.path === null) {
      terminal.say(`posthorn backup: expected a SQLite file, got ${place.shown}. Use ${dumpOf(settings, file)}.`)
      return exit.usage
    }
    if (!existsSync(place.path)) {
      terminal.say(`posthorn backup: expected a database that exists, got ${place.shown}.`)
      return exit.usage
    }
    const { backup: take } = await import('../../../stores/move/backup.ts')
    const taken = await take(place.path, file)
    const beside = taken.keyFile === null ? '' : ` and ${taken.keyFile}`
    print(terminal, chosen, taken, () => `backed up ${place.shown} to ${file}${beside}: ${countsOf(taken)}`)
    if (taken.keyFile === null)
      terminal.say('There is no key file next to the database: back up the key of POSTHORN_SECRETS_KEY, too.')
    return exit.ok
  },
}

export const restore: Command = {
  name: 'restore',
  summary: 'restores a backup of a SQLite file and its key',
  takes: ['<file>'],
  options,
  help: helpText({
    usage: 'restore <file> [options]',
    text: [
      'Puts <file> and <file>.key in the place of the database. Overwrites nothing: move the old file away first, with its',
      '-wal and -shm. Deliveries that were open in the backup are sent, even if they were sent since: receivers recognise them by id.',
    ],
    options,
    examples: ['posthorn restore /backups/posthorn-2026-01-31.db --database sqlite:posthorn.db'],
  }),
  async run(chosen, terminal, [file = '']) {
    const settings = settingsFrom(commandSources())
    const place = fileIn(chosen, settings)
    if (place.path === null) {
      terminal.say(`posthorn restore: expected a SQLite file, got ${place.shown}. Use pg_restore.`)
      return exit.usage
    }
    const { restore: put } = await import('../../../stores/move/restore.ts')
    const restored = await put(file, place.path, settings.secretsKey ?? undefined)
    print(terminal, chosen, restored, () => `restored ${place.shown} from ${file}: ${countsOf(restored)}`)
    return exit.ok
  },
}

function fileIn(chosen: CommandOptions, settings: Settings): { readonly path: string | null; readonly shown: string } {
  const { file: path, shown } = databaseAt(textOption(chosen, 'database') ?? settings.databaseUrl, settings)
  return { path, shown }
}

function dumpOf({ schema }: Settings, file: string): string {
  return `pg_dump --format=custom --schema=${schema} --file=${file}`
}

function countsOf({ deliveries, open, inFlight }: Counts): string {
  return `${deliveries} deliveries, ${open} of them open, ${inFlight} in flight`
}

interface Counts {
  readonly deliveries: number
  readonly open: number
  readonly inFlight: number
}
