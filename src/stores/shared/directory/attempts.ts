import { expected } from '../../../core/errors.ts'
import { attemptId, attemptOf, firstIdAt } from '../../../core/ids.ts'
import type { AttemptFilter, AttemptOfDelivery, DeliveryDirectory } from '../../../core/ports/directory/deliveries.ts'
import type { Order, Page, Scan } from '../../../core/ports/directory/page.ts'
import { record } from '../audit.ts'
import type { Database } from '../sql/database.ts'
import { hasChannel, mostWalked, oneOf } from './messages.ts'
import { inOrder } from '../sql/page.ts'
import { visibleOwner } from '../sql/visible.ts'
import { deliveryColumns, toAttempt, toDelivery } from '../rows/delivery-rows.ts'
import { toLastAttempt } from '../rows/figure-rows.ts'
import { toApplicationId, toId } from '../rows/rows.ts'
import { all, listOf, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

type AttemptMethods = 'attempts' | 'lastAttempts' | 'listAttempts' | 'eraseAttempt'

const deliveries = table('webhook_deliveries')
const attempts = table('attempts')
const mostAttempts = 10_000
/** The outcomes of records that only say that an attempt began (`isProvisional`), as SQL text. */
export const provisionalText = `('interrupted', 'started', 'crashed')`
const lastEpoch = 2 ** 30 - 1
const attemptColumns = raw(
  'a.delivery_id, a.epoch, a.started_at, a.took_ms, a.outcome, a.status_code, a.excerpt, a.url, a.late, a.diagnostics',
)
const ownColumns = raw(
  deliveryColumns
    .split(', ')
    .map((column) => `d.${column}`)
    .join(', '),
)
const isSuccess = raw('a.status_code is not null and a.status_code >= 200 and a.status_code < 300')
// Counts all attempts of the delivery, including those the list leaves out.
const number = sql`(select count(*) from ${attempts} other where other.delivery_id = a.delivery_id and other.epoch <= a.epoch) as number`

/** Attempts for people to read; the only change they can make is to erase the response. */
export function attemptDirectory(database: Database): Pick<DeliveryDirectory, AttemptMethods> {
  return {
    async attempts(deliveryId) {
      const rows = await database.query(sql`select ${attemptColumns}, row_number() over (order by a.epoch) as number
from ${attempts} a
where a.delivery_id = ${deliveryId}
order by a.epoch
limit ${mostAttempts}`)
      return rows.map(toAttempt)
    },
    lastAttempts: async (deliveryIds) =>
      deliveryIds.length === 0 ? [] : (await database.query(lastAttempts(deliveryIds))).map(toLastAttempt),
    listAttempts: (filter, page) => list(database, filter, page),
    eraseAttempt: ({ deliveryId, epoch, now, by }) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query(sql`update ${attempts}
set excerpt = null, diagnostics = null
where delivery_id = ${deliveryId} and epoch = ${epoch}
returning (select d.application_id from ${deliveries} d where d.id = ${deliveryId}) as application_id`)
        if (row === undefined) return false
        const about = { target: attemptId(deliveryId, epoch), applicationId: toApplicationId(row), at: now }
        if (by !== undefined) await record(tx, { action: 'attempt.erase', ...about, by })
        return true
      }),
  }
}

export function lastAttempts(deliveryIds: readonly string[]): Sql {
  return sql`select a.delivery_id, a.started_at, a.took_ms, a.outcome, a.status_code
from ${attempts} a
where a.delivery_id in ${listOf(deliveryIds)}
and not exists (select 1 from ${attempts} later where later.delivery_id = a.delivery_id and later.epoch > a.epoch)`
}

async function list(database: Database, filter: AttemptFilter, page: Page): Promise<Scan<AttemptOfDelivery>> {
  const [end] = await database.query(walkEnd(filter, page))
  const last = end === undefined ? null : toId(end)
  const rows = await database.query(listAttempts(filter, page, last))
  const items = rows.slice(0, page.limit).map((row) => ({ attempt: toAttempt(row), delivery: toDelivery(row) }))
  return { items, next: rows.length > page.limit ? (items.at(-1)?.attempt.id ?? null) : pastAll(last, orderOf(page)) }
}

/** The delivery at which a walk of the allowed length ends; none if there are fewer. Deliveries that were never sent count too. */
export function walkEnd(filter: AttemptFilter, page: Page): Sql {
  return sql`select d.id
from ${deliveries} d
where ${range(filter, page)}
order by d.id ${inOrder(orderOf(page))}
limit 1 offset ${mostWalked - 1}`
}

/** One more than fits on the page. The walk comes first, whatever the planner estimates: there may be millions of attempts. */
export function listAttempts(filter: AttemptFilter, page: Page, last: string | null): Sql {
  const order = inOrder(orderOf(page))
  const walked = [range(filter, page)]
  if (last !== null) walked.push(orderOf(page) === 'ascending' ? sql`d.id <= ${last}` : sql`d.id >= ${last}`)
  const conditions = [sql`a.delivery_id = d.id`, ...afterPlace(page), ...wanted(filter)]
  return sql`with walked as materialized (
  select ${ownColumns}
  from ${deliveries} d
  where ${all(walked)}
)
select ${ownColumns}, ${attemptColumns}, ${number}
from walked d
cross join ${attempts} a${filter.channel === undefined ? nothing : sql`\ncross join ${table('messages')} m`}
where ${all(conditions)}
order by d.id ${order}, a.epoch ${order}
limit ${page.limit + 1}`
}

/** The deliveries to walk over, including the last one of the previous page, which may have more attempts. */
function range({ endpointId, messageId, until }: AttemptFilter, page: Page): Sql {
  const conditions: Sql[] = []
  if (messageId !== undefined) conditions.push(sql`d.message_id = ${messageId}`, visibleOwner('messages', messageId))
  if (endpointId !== undefined)
    conditions.push(sql`d.webhook_id = ${endpointId}`, visibleOwner('endpoints', endpointId))
  // No attempt is older than its delivery.
  if (until !== undefined) conditions.push(sql`d.id < ${firstIdAt('dlv', until)}`)
  const place = placeOf(page)
  if (place !== null)
    conditions.push(orderOf(page) === 'ascending' ? sql`d.id >= ${place.deliveryId}` : sql`d.id <= ${place.deliveryId}`)
  return all(conditions)
}

function afterPlace(page: Page): Sql[] {
  const place = placeOf(page)
  if (place === null) return []
  const { deliveryId, epoch } = place
  return [
    orderOf(page) === 'ascending'
      ? sql`(d.id > ${deliveryId} or a.epoch > ${epoch})`
      : sql`(d.id < ${deliveryId} or a.epoch < ${epoch})`,
  ]
}

function wanted(filter: AttemptFilter): Sql[] {
  const conditions: Sql[] = []
  const { statusCodeClass } = filter
  if (filter.succeeded !== undefined) conditions.push(filter.succeeded ? isSuccess : sql`not (${isSuccess})`)
  if (statusCodeClass === 0) conditions.push(raw('a.status_code is null'))
  else if (statusCodeClass !== undefined)
    conditions.push(sql`a.status_code >= ${statusCodeClass} and a.status_code < ${statusCodeClass + 100}`)
  if (filter.types !== undefined) conditions.push(oneOf('d.event_type', filter.types))
  if (filter.channel !== undefined)
    conditions.push(sql`m.id = d.message_id and ${hasChannel('m.channels', filter.channel)}`)
  if (filter.since !== undefined) conditions.push(sql`a.started_at >= ${filter.since}`)
  if (filter.until !== undefined) conditions.push(sql`a.started_at < ${filter.until}`)
  return conditions
}

function placeOf({ after }: Page): ReturnType<typeof attemptOf> {
  if (after === null) return null
  const place = attemptOf(after)
  if (place === null) throw expected('invalid_id', 'after', 'the id of an attempt', after)
  return place
}

/** A position after every attempt of a delivery, in the form of an attempt id. */
function pastAll(deliveryId: string | null, order: Order): string | null {
  return deliveryId === null ? null : attemptId(deliveryId, order === 'ascending' ? lastEpoch : 0)
}

function orderOf(page: Page): Order {
  return page.order ?? 'descending'
}
