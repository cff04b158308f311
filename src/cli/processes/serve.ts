import { once } from 'node:events'
import { systemClock } from '../../clock.ts'
import { commandSources } from '../../config/environment.ts'
import { settingsFrom } from '../../config/sources.ts'
import type { Settings } from '../../config/settings.ts'
import { Posthorn, version } from '../../posthorn.ts'
import { handler } from '../../server/handler.ts'
import { startHttpServer } from '../../server/http/http-server.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import { byKey } from '../../server/request/authentication.ts'
import type { CommandOptions, Terminal } from '../command.ts'
import { databaseAt } from '../database.ts'
import { logEvents, logWarnings } from '../logs/events.ts'
import type { Log } from '../logs/log.ts'
import { processLog } from '../logs/process-log.ts'
import { createFirstKey } from './first-key.ts'
import { handlerOptions } from './handler-options.ts'
import { openMetrics } from './metrics.ts'
import type { CommandMetrics } from './metrics.ts'
import { retryNotice } from './retry-notice.ts'

/** Serves and delivers until it is stopped. */
export async function serve({ database, 'no-worker': noWorker }: CommandOptions, terminal: Terminal): Promise<number> {
  const settings = settingsFrom(commandSources())
  const named = databaseAt(typeof database === 'string' ? database : settings.databaseUrl, settings)
  const log = processLog(settings, terminal)
  // First, because the guard must know its port, and to keep the port while the database is opened.
  const listening = await startHttpServer({ ...settings, clock: systemClock })
  let metrics: CommandMetrics | null = null
  try {
    metrics = await openMetrics(settings)
    const { meter } = metrics
    const thread = settings.engineThread && named.file !== ':memory:'
    const posthorn = new Posthorn({
      ...settings,
      store: await named.openStore(),
      ownPort: listening.port,
      meter,
      thread,
    })
    logEvents(posthorn, log)
    logWarnings(posthorn, log)
    const delivers = noWorker !== true
    await answerAndDeliver({ posthorn, listening, metrics, settings, terminal, log, delivers, file: named.file })
    log.write('info', 'stopped', () => ({ worker_id: posthorn.workerId }))
  } finally {
    await metrics?.close()
    await listening.close()
    log.close()
  }
  return 0
}

interface Parts {
  readonly posthorn: Posthorn
  readonly listening: HttpServer
  readonly metrics: CommandMetrics
  readonly settings: Settings
  readonly terminal: Terminal
  readonly log: Log
  readonly delivers: boolean
  /** The database's file; null if it has none. */
  readonly file: string | null
}

async function answerAndDeliver(parts: Parts): Promise<void> {
  const { posthorn, listening, metrics, settings, terminal, log, delivers, file } = parts
  const { output, interrupted } = terminal
  let graceMs = settings.shutdownGraceMs
  try {
    if (delivers) await posthorn.start()
    const place = { isTerminal: output.isTTY, database: file }
    const line = settings.adminKey === null ? await createFirstKey(posthorn, place) : null
    if (line !== null) output.write(`${line}\n`)
    const notice = await retryNotice(posthorn, settings.preset)
    if (notice !== null) log.write('info', 'retry_policy', () => ({ msg: notice }))
    const answer = handler(posthorn, handlerOptions(settings, listening.url, log))
    const { authorize } = byKey(posthorn, settings.adminKey)
    listening.serve(metrics.serve(posthorn, authorize, answer), () => posthorn.audit({ limit: 1 }))
    output.write(`posthorn listening on ${listening.url}\n`)
    if (metrics.url !== null) output.write(`posthorn metrics on ${metrics.url}/metrics\n`)
    log.write('info', 'started', () => ({
      command: 'serve',
      version,
      worker_id: posthorn.workerId,
      url: listening.url,
    }))
    if (!interrupted.aborted) await once(interrupted, 'abort')
    const msg = 'Stopping: requests and attempts under way may end. A second signal leaves at once.'
    log.write('info', 'stopping', () => ({ msg }))
    metrics.retire()
    const stoppedAt = systemClock.now()
    // Readers of the stream would delay the shutdown: they never leave by themselves.
    posthorn.stream.close()
    await listening.drain(graceMs)
    graceMs = Math.max(0, graceMs - (systemClock.now() - stoppedAt))
  } finally {
    await posthorn.stop({ graceMs })
  }
}
