import { statuses } from '../../../core/delivery/delivery.ts'
import type { Status } from '../../../core/delivery/delivery.ts'
import { expected } from '../../../core/errors.ts'
import { firstIdAt } from '../../../core/ids.ts'
import type { DeliveryFilter } from '../../../core/ports/queue.ts'
import { all, listOf, sql, table, raw } from './sql.ts'
import type { Sql } from './sql.ts'

const mostIds = 10_000

// Literals, because a bound status does not match a partial index. If an index has a condition, it is repeated here word for word.
const conditionOf: Readonly<Record<Status, string>> = {
  pending: `status in ('pending', 'failed') and status = 'pending'`,
  failed: `status in ('pending', 'failed') and status = 'failed'`,
  delivered: `status = 'delivered'`,
  dead: `status = 'dead'`,
}

/** The SQL condition for a filter. */
export function whereDelivery(filter: DeliveryFilter): Sql {
  const conditions: Sql[] = []
  if (filter.ids !== undefined) conditions.push(oneOf(filter.ids))
  if (filter.status !== undefined) conditions.push(inStatus(filter.status))
  if (filter.reason !== undefined) conditions.push(sql`reason = ${filter.reason}`)
  if (filter.endpointId !== undefined) conditions.push(sql`webhook_id = ${filter.endpointId}`)
  if (filter.applicationId !== undefined) conditions.push(ofApplication(filter.applicationId))
  if (filter.messageId !== undefined) conditions.push(sql`message_id = ${filter.messageId}`)
  if (filter.type !== undefined) conditions.push(sql`event_type = ${filter.type}`)
  conditions.push(...createdWithin(filter))
  if (filter.unchangedSince !== undefined) conditions.push(sql`updated_at < ${filter.unchangedSince}`)
  return all(conditions)
}

function oneOf(ids: readonly string[]): Sql {
  if (ids.length > mostIds)
    throw expected('invalid_argument', 'ids', `at most ${mostIds}`, ids.length, 'Ask in several batches.')
  return ids.length === 0 ? raw('1 = 0') : sql`id in ${listOf(ids)}`
}

/** Through its endpoints: another index on the hot table would cost each delivery an extra page write. */
function ofApplication(applicationId: string): Sql {
  return sql`webhook_id in (select e.id from ${table('endpoints')} e where e.application_id = ${applicationId})`
}

/** Ids start with their creation time, so this is a range of the primary key and needs no index on a time. */
function createdWithin({ since, until }: DeliveryFilter): Sql[] {
  const conditions: Sql[] = []
  if (since !== undefined) conditions.push(sql`id >= ${firstIdAt('dlv', since)}`)
  if (until !== undefined) conditions.push(sql`id < ${firstIdAt('dlv', until)}`)
  return conditions
}

function inStatus(status: Status | readonly Status[]): Sql {
  const given = statuses.filter((word) => (typeof status === 'string' ? status === word : status.includes(word)))
  const [only, ...others] = given
  if (only === undefined) return raw('1 = 0')
  return raw(others.length === 0 ? conditionOf[only] : `status in (${given.map((word) => `'${word}'`).join(', ')})`)
}
