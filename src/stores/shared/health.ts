import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { nextGeneration } from '../../core/endpoint/health.ts'
import type { Health } from '../../core/endpoint/health.ts'
import type { DisableRequest } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import { raiseEndpointsVersion } from './directory/applications.ts'
import type { Executor } from './sql/database.ts'
import { fromHealth, toApplicationId, toHealthOf } from './rows/rows.ts'
import { assignments, forUpdate, insertInto, listOf, sql, table } from './sql/sql.ts'
import type { Sql } from './sql/sql.ts'

const health = table('endpoint_health')
// Named explicitly: the table also has columns of earlier releases and, while two releases run side by side, of a later one.
const columns = sql`endpoint_id, failures, held_until, holds, failing_since, failed_attempts, warned, generation, ramp_from, version`

export function healthOf(endpointIds: readonly string[]): Sql {
  return sql`select ${columns} from ${health} where endpoint_id in ${listOf(endpointIds)}`
}

/**
 * Changes one row if the version is still the one that was read, none if another worker was faster. Version 0 means there is no row yet.
 */
export function saveHealth(endpointId: string, given: Health): Sql {
  const row = fromHealth(endpointId, { ...given, version: given.version + 1 })
  if (given.version === 0) return sql`${insertInto('endpoint_health', row)} on conflict (endpoint_id) do nothing`
  return sql`update ${health}
set ${assignments(row)}
where endpoint_id = ${endpointId} and version = ${given.version}`
}

interface ChangedEndpoint {
  readonly before: Endpoint
  readonly after: Endpoint
  /** True if a person enabled it. */
  readonly isEnabled: boolean
  readonly now: Instant
}

/** An endpoint with a new URL, or enabled by a person, starts with a clean record. Runs in the transaction that changes the endpoint. */
export async function renewHealth(tx: Executor, { before, after, isEnabled, now }: ChangedEndpoint): Promise<void> {
  if (before.url === after.url && !isEnabled) return
  // Waits for a worker that is inserting the first row right now, so that its values are read next.
  await tx.run(
    sql`insert into ${health} (endpoint_id, version) values (${after.id}, 0) on conflict (endpoint_id) do nothing`,
  )
  const [row] = await tx.query(sql`${healthOf([after.id])} ${forUpdate}`)
  if (row === undefined) return
  const [, known] = toHealthOf(row)
  const next = nextGeneration(known, before.status !== 'active', now)
  await tx.run(sql`update ${health}
set ${assignments(fromHealth(after.id, { ...next, version: known.version + 1 }))}
where endpoint_id = ${after.id}`)
}

/** Disables only an active endpoint whose URL and health generation are still the ones that were judged. */
export async function disable(tx: Executor, request: DisableRequest): Promise<boolean> {
  const { endpointId, url, generation, reason, now } = request
  const [endpoint] = await tx.query(
    sql`select application_id
from ${table('endpoints')}
where id = ${endpointId} and url = ${url} and status = 'active' ${forUpdate}`,
  )
  if (endpoint === undefined) return false
  const [row] = await tx.query(sql`${healthOf([endpointId])} ${forUpdate}`)
  if ((row === undefined ? 0 : toHealthOf(row)[1].generation) !== generation) return false
  await tx.run(sql`update ${table('endpoints')}
set status = 'disabled', status_reason = ${reason}, status_since = ${now}, updated_at = ${now}
where id = ${endpointId}`)
  await raiseEndpointsVersion(tx, toApplicationId(endpoint))
  return true
}
