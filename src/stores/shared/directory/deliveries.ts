import { lanes } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import { mergedGroups } from '../../../core/ports/figures.ts'
import type { DeliveryDirectory } from '../../../core/ports/directory/deliveries.ts'
import type { Order, Page } from '../../../core/ports/directory/page.ts'
import type { DeliveryFilter } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import type { Database } from '../sql/database.ts'
import { whereDelivery } from '../sql/filter.ts'
import { visible } from '../sql/visible.ts'
import { laneText, retries } from '../sql/lanes.ts'
import { record } from '../audit.ts'
import { beyond, inOrder } from '../sql/page.ts'
import { toDeadLetterGroup } from '../rows/figure-rows.ts'
import { deliveryColumns, toDelivery } from '../rows/delivery-rows.ts'
import { all, joined, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

type DeliveryMethods = Exclude<keyof DeliveryDirectory, 'attempts' | 'lastAttempts' | 'listAttempts' | 'eraseAttempt'>

const deliveries = table('webhook_deliveries')
const columns = raw(deliveryColumns)
// Only the first line of an error is needed to group by it.
const detailLength = 200

/** Deliveries for people to read, and new deliveries of old messages. */
export function deliveryDirectory(database: Database): Pick<DeliveryDirectory, DeliveryMethods> {
  return {
    async delivery(id) {
      const [row] = await database.query(sql`select ${columns} from ${deliveries} where id = ${id} and ${visible}`)
      return row === undefined ? null : toDelivery(row)
    },
    listDeliveries: async (filter, page) => (await database.query(listStatement(filter, page))).map(toDelivery),
    async countDeliveries(filter, most) {
      const [row] = await database.query(sql`select count(*) as count
from (select 1 from ${deliveries} where ${whereDelivery(filter)} and ${visible} limit ${most}) counted`)
      return Number(row?.['count'] ?? 0)
    },
    deadLetters: async (filter, most) =>
      mergedGroups((await database.query(deadLetterGroups(filter, most))).map(toDeadLetterGroup)),
    async dueBefore(delivery, most) {
      const [row] = await database.query(dueBefore(delivery, most))
      return Number(row?.['count'] ?? 0)
    },
    async endedLeases(before, most) {
      const [row] = await database.query(endedLeases(before, most))
      return Number(row?.['count'] ?? 0)
    },
    addDelivery: (delivery, now, by) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query(sql`insert into ${deliveries} (
  id, webhook_id, application_id, message_id, event_type, session_id, target_url, next_retry_at, policy, requeued_at, created_at, updated_at)
select ${delivery.id}, ${delivery.endpointId}, m.application_id, m.id, m.type, m.session_id,
  ${delivery.targetUrl}, ${delivery.nextRetryAt}, ${delivery.policy}, ${now}, ${now}, ${now}
from ${table('messages')} m
where m.id = ${delivery.messageId} and m.erased_at is null
  and not exists (select 1 from ${table('endpoints')} e where e.id = ${delivery.endpointId} and e.status = 'deleted')
returning ${columns}`)
        if (row === undefined) return null
        const added = toDelivery(row)
        await record(tx, { action: 'resend', target: added.id, applicationId: added.applicationId, at: now, by })
        return added
      }),
  }
}

/** For one endpoint, or for all, the newest ones; for an application, in whatever order the index of its endpoints returns. */
export function deadLetterGroups(
  { endpointId, applicationId }: Parameters<DeliveryDirectory['deadLetters']>[0],
  most: number,
): Sql {
  const isOrdered = endpointId !== undefined || applicationId === undefined
  return sql`select webhook_id, application_id, reason, detail, count(*) as count, max(updated_at) as newest_at
from (
  select webhook_id, application_id, coalesce(reason, 'exhausted') as reason, substr(error_detail, 1, ${detailLength}) as detail, updated_at
  from ${deliveries}
  where ${whereDelivery({ status: 'dead', endpointId, applicationId })} and ${visible}
  ${isOrdered ? sql`order by id desc` : nothing}
  limit ${most}) counted
group by webhook_id, application_id, reason, detail`
}

/** Lane by lane, through their indexes: a query on the whole table would read its history. */
export function endedLeases(before: Instant, most: number): Sql {
  const ofLanes = lanes.map(
    (lane) => sql`select 1 as one from ${deliveries} where ${laneText(lane)} and lease_until <= ${before}`,
  )
  return sql`select count(*) as count
from (${joined(ofLanes, ' union all ')} limit ${most}) counted`
}

/** Through the lane's index, in the order in which a claim takes them. */
export function dueBefore(
  { id, endpointId, nextRetryAt }: Pick<Delivery, 'id' | 'endpointId' | 'nextRetryAt'>,
  most: number,
): Sql {
  const dueAt = nextRetryAt ?? 0
  return sql`select count(*) as count
from (
  select 1 from ${deliveries}
  where ${retries} and webhook_id = ${endpointId}
    and coalesce(next_retry_at, 0) <= ${dueAt}
    and (coalesce(next_retry_at, 0) < ${dueAt} or id < ${id})
  limit ${most}) counted`
}

/** Newest first by default, which is the order of the ids. */
export function listStatement(filter: DeliveryFilter, page: Page): Sql {
  const { applicationId, ...rest } = filter
  const isNarrow = filter.ids !== undefined || filter.endpointId !== undefined || filter.messageId !== undefined
  const where =
    applicationId === undefined || isNarrow
      ? rowsOf(filter, page)
      : firstOfEndpoints(applicationId, rowsOf(rest, page), page)
  return sql`select ${columns}
from ${deliveries}
where ${where}
order by id ${inOrder(orderOf(page))}
limit ${page.limit}`
}

function rowsOf(filter: DeliveryFilter, page: Page): Sql {
  return all([whereDelivery(filter), ...beyond(page.after, orderOf(page)), visible])
}

/** The first rows of each endpoint of the application, which include the first rows overall: a few rows each, from an index. */
function firstOfEndpoints(applicationId: string, where: Sql, page: Page): Sql {
  return sql`id in (
  select d.id
  from ${table('endpoints')} e
  cross join ${deliveries} d
  where e.application_id = ${applicationId}
    and d.id in (
      select id from ${deliveries}
      where webhook_id = e.id and ${where}
      order by id ${inOrder(orderOf(page))}
      limit ${page.limit}))`
}

function orderOf(page: Page): Order {
  return page.order ?? 'descending'
}
