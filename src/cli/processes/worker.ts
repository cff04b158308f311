import { once } from 'node:events'
import { commandSources } from '../../config/environment.ts'
import type { Settings } from '../../config/settings.ts'
import { settingsFrom } from '../../config/sources.ts'
import { Posthorn, version } from '../../posthorn.ts'
import { byKey } from '../../server/request/authentication.ts'
import type { CommandOptions, Terminal } from '../command.ts'
import { databaseAt } from '../database.ts'
import { logEvents, logWarnings } from '../logs/events.ts'
import type { Log } from '../logs/log.ts'
import { processLog } from '../logs/process-log.ts'
import { openMetrics } from './metrics.ts'
import type { CommandMetrics } from './metrics.ts'

/** Delivers until it is stopped, or outdated. */
export async function work({ database: given }: CommandOptions, terminal: Terminal): Promise<number> {
  const settings = settingsFrom(commandSources())
  const database = databaseAt(typeof given === 'string' ? given : settings.databaseUrl, settings)
  const metrics = await openMetrics(settings)
  const log = processLog(settings, terminal)
  try {
    const posthorn = new Posthorn({ ...settings, store: await database.openStore(), meter: metrics.meter })
    await deliver({ posthorn, metrics, settings, terminal, log, on: database.shown })
  } finally {
    await metrics.close()
    log.close()
  }
  return 0
}

interface Parts {
  readonly posthorn: Posthorn
  readonly metrics: CommandMetrics
  readonly settings: Settings
  readonly terminal: Terminal
  readonly log: Log
  /** The database, as people may see it. */
  readonly on: string
}

async function deliver({ posthorn, metrics, settings, terminal, log, on }: Parts): Promise<void> {
  logEvents(posthorn, log)
  logWarnings(posthorn, log)
  const done = countEnds(posthorn)
  const outdated = untilOutdated(posthorn)
  try {
    await posthorn.start()
    metrics.serve(posthorn, byKey(posthorn, settings.adminKey).authorize)
    terminal.output.write(`posthorn worker ${posthorn.workerId} on ${on}\n`)
    if (metrics.url !== null) terminal.output.write(`posthorn metrics on ${metrics.url}/metrics\n`)
    log.write('info', 'started', () => ({ command: 'worker', version, worker_id: posthorn.workerId }))
    const isOutdated = await Promise.race([outdated, untilInterrupted(terminal)])
    const msg = isOutdated
      ? 'Stopping: a later release has migrated the database. Start its workers.'
      : 'Stopping: attempts under way may end. A second signal leaves at once.'
    log.write('info', 'stopping', () => ({ msg }))
  } finally {
    metrics.retire()
    await posthorn.stop({ graceMs: settings.shutdownGraceMs })
  }
  log.write('info', 'stopped', () => ({ worker_id: posthorn.workerId, ...done }))
  terminal.output.write(
    `posthorn worker ${posthorn.workerId} delivered ${done.delivered} failed ${done.failed} dead ${done.dead}\n`,
  )
}

function untilOutdated(posthorn: Posthorn): Promise<true> {
  return new Promise((resolve) => posthorn.on('warning', ({ code }) => code === 'newer_database' && resolve(true)))
}

async function untilInterrupted({ interrupted }: Terminal): Promise<false> {
  if (!interrupted.aborted) await once(interrupted, 'abort')
  return false
}

function countEnds(posthorn: Posthorn): { delivered: number; failed: number; dead: number } {
  const counts = { delivered: 0, failed: 0, dead: 0 }
  posthorn.on('delivery.delivered', () => void (counts.delivered += 1))
  posthorn.on('delivery.failed', () => void (counts.failed += 1))
  posthorn.on('delivery.dead', () => void (counts.dead += 1))
  return counts
}
