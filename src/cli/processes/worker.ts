import { once } from 'node:events'
import { commandSources } from '../../config/environment.ts'
import { settingsFrom } from '../../config/sources.ts'
import { Posthorn, version } from '../../posthorn.ts'
import type { CommandOptions, Terminal } from '../command.ts'
import { databaseAt } from '../database.ts'
import { logEvents, logWarnings } from '../logs/events.ts'
import { processLog } from '../logs/process-log.ts'

/** Delivers until it is stopped, or outdated. */
export async function work({ database: given }: CommandOptions, terminal: Terminal): Promise<number> {
  const settings = settingsFrom(commandSources())
  const database = databaseAt(typeof given === 'string' ? given : settings.databaseUrl, settings)
  const posthorn = new Posthorn({ ...settings, store: await database.openStore() })
  const log = processLog(settings, terminal)
  logEvents(posthorn, log)
  logWarnings(posthorn, log)
  const done = countEnds(posthorn)
  const outdated = untilOutdated(posthorn)
  try {
    await posthorn.start()
    terminal.output.write(`posthorn worker ${posthorn.workerId} on ${database.shown}\n`)
    log.write('info', 'started', () => ({ command: 'worker', version, worker_id: posthorn.workerId }))
    const isOutdated = await Promise.race([outdated, untilInterrupted(terminal)])
    const msg = isOutdated
      ? 'Stopping: a later release has migrated the database. Start its workers.'
      : 'Stopping: attempts under way may end. A second signal leaves at once.'
    log.write('info', 'stopping', () => ({ msg }))
  } finally {
    await posthorn.stop({ graceMs: settings.shutdownGraceMs })
    log.close()
  }
  log.write('info', 'stopped', () => ({ worker_id: posthorn.workerId, ...done }))
  terminal.output.write(
    `posthorn worker ${posthorn.workerId} delivered ${done.delivered} failed ${done.failed} dead ${done.dead}\n`,
  )
  return 0
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
