import { once } from 'node:events'
import { systemClock } from '../../clock.ts'
import { commandSources, settingsFrom } from '../../config.ts'
import type { Settings } from '../../config.ts'
import { Posthorn } from '../../posthorn.ts'
import { incidentLine } from '../../server/errors.ts'
import { handler } from '../../server/handler.ts'
import { listen } from '../../server/listen.ts'
import type { Listening } from '../../server/listen.ts'
import type { Command, Terminal } from '../command.ts'
import { databaseAt } from '../database.ts'
import { firstKey } from '../first-key.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'answers the HTTP API, and delivers',
  help: [
    'Usage: posthorn serve [--database url] [--no-worker]',
    '',
    'Answers the HTTP API on POSTHORN_HOST (127.0.0.1) and POSTHORN_PORT (8071), and delivers what it is given.',
    'The first start makes an API key and shows it once, unless POSTHORN_ADMIN_KEY gives one.',
    '',
    '  --database <url>    sqlite:path, or postgres://user:password@host:port/database;',
    '                      POSTHORN_DATABASE_URL unless given, sqlite:posthorn.db without both',
    '  --no-worker         only answers: "posthorn worker" delivers, elsewhere',
    '',
    'GET /livez and /readyz tell whether it lives and may be sent requests. The first SIGTERM or Ctrl-C lets',
    'requests and attempts under way end (for up to POSTHORN_SHUTDOWN_GRACE_MS), a second one leaves at once.',
  ].join('\n'),
  options: { database: { type: 'string' }, 'no-worker': { type: 'boolean' } },
  async run({ database, 'no-worker': noWorker }, terminal) {
    const settings = settingsFrom(commandSources())
    const named = databaseAt(typeof database === 'string' ? database : settings.databaseUrl, settings)
    // First, because its port must be known to the guard; and whoever has it keeps it while the database is opened.
    const listening = await listen({ ...settings, clock: systemClock })
    try {
      const posthorn = new Posthorn({ ...settings, store: await named.openStore(), ownPort: listening.port })
      posthorn.on('warning', ({ code, message }) => terminal.say(`warning: ${code}: ${oneLine(message)}`))
      await answerAndDeliver({ posthorn, listening, settings, terminal, delivers: noWorker !== true })
    } finally {
      await listening.close()
    }
    return 0
  },
}

interface Parts {
  readonly posthorn: Posthorn
  readonly listening: Listening
  readonly settings: Settings
  readonly terminal: Terminal
  readonly delivers: boolean
}

async function answerAndDeliver({ posthorn, listening, settings, terminal, delivers }: Parts): Promise<void> {
  const { output, say, interrupted } = terminal
  let graceMs = settings.shutdownGraceMs
  try {
    if (delivers) await posthorn.start()
    const key = settings.adminKey === null ? await firstKey(posthorn) : null
    if (key !== null) output.write(`posthorn admin key, shown only now: ${key}\n`)
    const { adminKey, rateLimitPerSecond } = settings
    const answer = handler(posthorn, { adminKey, rateLimitPerSecond, report: (incident) => say(`error: ${oneLine(incidentLine(incident))}`) })
    listening.serve(answer, () => posthorn.audit({ limit: 1 }))
    output.write(`posthorn listening on ${listening.url}\n`)
    if (!interrupted.aborted) await once(interrupted, 'abort')
    say('Stopping: requests and attempts under way may end. A second signal leaves at once.')
    const stoppedAt = systemClock.now()
    await listening.drain(graceMs)
    graceMs = Math.max(0, graceMs - (systemClock.now() - stoppedAt))
  } finally {
    await posthorn.stop({ graceMs })
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
