import { commandSources } from '../../../config/environment.ts'
import { settingsFrom } from '../../../config/sources.ts'
import { PosthornError } from '../../../core/errors.ts'
import type { Resealed, Store } from '../../../core/ports/ports.ts'
import { exit } from '../../command.ts'
import type { CommandGroup, Terminal } from '../../command.ts'
import { databaseAt } from '../../database.ts'

export const secrets: CommandGroup = {
  name: 'secrets',
  summary: 'secrets at rest: seal them with a new key',
  commands: [
    {
      name: 'rotate',
      summary: 'seals every secret with the newest key, while everything runs on',
      help: [
        'Usage: posthorn secrets rotate [--database url]',
        '',
        'Seals with the newest key of POSTHORN_SECRETS_KEY (the first) every secret and header of an endpoint that an',
        'older key has sealed, or that an earlier release stored in clear. Servers and workers run on meanwhile; they',
        'need the new key and the old one. After a kill, run it again: it continues where it was.',
        '',
        '  --database <url>    the database (default: POSTHORN_DATABASE_URL)',
        '',
        'Exit codes: 0 all are sealed with the newest key, 3 some could not be opened and stay as they are.',
      ].join('\n'),
      options: { database: { type: 'string' } },
      async run({ database: given }, terminal) {
        const settings = settingsFrom(commandSources())
        const database = databaseAt(typeof given === 'string' ? given : settings.databaseUrl, settings)
        const store = await database.openStore()
        try {
          await store.open()
          return report(await rotate(store, terminal), terminal)
        } finally {
          await store.close()
        }
      },
    },
  ],
}

async function rotate(store: Store, { messages, interrupted }: Terminal): Promise<Resealed> {
  if (store.reseal === undefined)
    throw new PosthornError('wrong_state', 'Expected a database that seals secrets, got one that does not.')
  let shown = ''
  return store.reseal({
    signal: interrupted,
    onBatch({ done, total }) {
      const line = `sealed ${done} of ${total}\n`
      if (line !== shown) messages.write(line)
      shown = line
    },
  })
}

function report({ done, total, unreadable, endpointIds }: Resealed, { output, say, interrupted }: Terminal): number {
  output.write(`secrets rotated ${done} of ${total}\n`)
  if (unreadable > 0) {
    const some = endpointIds.join(', ')
    say(
      `posthorn: ${unreadable} ${unreadable === 1 ? 'value' : 'values'} could not be opened, and stay as they are (endpoints ${some}). Add the key that sealed them to POSTHORN_SECRETS_KEY, and run this again.`,
    )
    return exit.partial
  }
  if (!interrupted.aborted) return exit.ok
  say('posthorn: interrupted. Run it again: it continues from here.')
  return exit.interrupted
}
