import { existsSync } from 'node:fs'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import { messageOf } from '../../core/errors.ts'
import type { Inspected } from '../../stores/shared/schema/inspected.ts'
import { databaseAt } from '../database.ts'
import type { NamedDatabase } from '../database.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check, Finding } from './check.ts'
import { diskCheck } from './disk.ts'
import { storeChecks } from './store.ts'

// A process keeps up to ten connections, and one more to listen; during a restart there are two processes.
const fewConnections = 25

/** Checks of a database. */
export async function databaseChecks(databaseUrl: string, settings: Settings): Promise<Check[]> {
  const database = databaseAt(databaseUrl, settings)
  const inspected = await inspect(database)
  if ('level' in inspected) return [{ name: 'database', ...inspected }]
  const migrated = migrationFinding(inspected)
  return [
    { name: 'database', ...well(`${database.shown}, ${inspected.engine}, answers within ${inspected.tookMs} ms.`) },
    { name: 'migrations', ...migrated },
    ...(inspected.connections === null ? [] : [await connectionCheck(inspected.connections)]),
    ...(migrated.level === 'ok' ? await storeChecks(database, settings) : []),
    ...(database.file === null ? [] : [await diskCheck(database.file)]),
  ]
}

async function inspect(database: NamedDatabase): Promise<(Inspected & { readonly tookMs: number }) | Finding> {
  // Inspecting a missing file would create it.
  if (database.file !== null && !existsSync(database.file))
    return trouble(
      'fail',
      `${database.shown} does not exist.`,
      'Choose another with --database, or create it: posthorn migrate',
    )
  try {
    const startedAt = systemClock.now()
    return { ...(await database.inspect()), tookMs: systemClock.now() - startedAt }
  } catch (thrown) {
    return { level: 'fail', sentence: messageOf(thrown) }
  }
}

function migrationFinding({ schemaVersion, wantedVersion }: Inspected): Finding {
  const found = `The schema has version ${schemaVersion}, this release has ${wantedVersion}.`
  if (schemaVersion === wantedVersion) return well(`The schema has version ${schemaVersion}, as this release.`)
  return trouble('fail', found, schemaVersion < wantedVersion ? 'Run: posthorn migrate' : 'Upgrade this Posthorn.')
}

function connectionCheck({ used, most }: NonNullable<Inspected['connections']>): Promise<Check> {
  return runCheck('connections', () => {
    const free = most - used
    const found = `${free} of ${most} connections to PostgreSQL are free.`
    if (free >= fewConnections) return well(found)
    return trouble('warn', found, 'Raise max_connections, or put pgbouncer before it: a worker takes up to eleven.')
  })
}
