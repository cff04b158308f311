import { commandSources } from '../../../config/environment.ts'
import { settingsFrom } from '../../../config/sources.ts'
import { expected } from '../../../core/errors.ts'
import type { Command } from '../../command.ts'
import { databaseAt } from '../../database.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: "brings a database's schema up to this release, or prints the SQL that does",
  help: [
    'Usage: posthorn migrate [--database url] [--print [--from version]]',
    '',
    'Migrates the schema of a database to this release, and says from which version to which.',
    'Safe to run several times, and by several at once.',
    '',
    '  --database <url>    the database (default: POSTHORN_DATABASE_URL)',
    '  --print             prints the SQL instead, to apply it yourself; connects to nothing',
    '  --from <version>    prints only what is missing since this version (default: 0)',
    '',
    'On PostgreSQL the tables live in the schema POSTHORN_SCHEMA ("posthorn"). Workers of an earlier release finish',
    'what is under way and exit; workers of this release start only on a schema of this release.',
  ].join('\n'),
  options: { database: { type: 'string' }, print: { type: 'boolean' }, from: { type: 'string' } },
  async run({ database: given, print, from }, { output }) {
    const settings = settingsFrom(commandSources())
    const database = databaseAt(typeof given === 'string' ? given : settings.databaseUrl, settings)
    if (print === true) {
      output.write(`${await database.migrationScript(versionIn(from))}\n`)
      return 0
    }
    if (from !== undefined)
      throw expected(
        'invalid_argument',
        'from',
        'given together with --print',
        from,
        'A database knows its own version.',
      )
    const migrated = await database.migrate()
    const change =
      migrated.from === migrated.to
        ? `is at version ${migrated.to} already`
        : `migrated from version ${migrated.from} to ${migrated.to}`
    output.write(`${database.shown} ${change}\n`)
    return 0
  },
}

function versionIn(from: unknown): number {
  if (from === undefined) return 0
  if (typeof from === 'string' && /^\d{1,6}$/.test(from)) return Number(from)
  throw expected('invalid_argument', 'from', 'the version of a schema, a whole number', from)
}
