import type { DeliveryFilter, Directory, Page } from '../core/ports.ts'
import type { Database } from './database.ts'
import { whereDelivery } from './filter.ts'
import { record } from './operations.ts'
import { deliveryColumns, toAttempt, toDelivery, toMessage } from './rows.ts'
import { nothing, sql, table, words } from './sql.ts'
import type { Sql } from './sql.ts'

type DeliveryMethods = 'message' | 'delivery' | 'listDeliveries' | 'countDeliveries' | 'attempts' | 'addDelivery'

const deliveries = table('webhook_deliveries')
const columns = words(deliveryColumns)
const mostAttempts = 10_000

/** What people read of messages, deliveries and attempts. */
export function deliveryDirectory(database: Database): Pick<Directory, DeliveryMethods> {
  return {
    async message(id) {
      const [row] = await database.query(sql`select * from ${table('messages')} where id = ${id}`)
      return row === undefined ? null : toMessage(row)
    },
    async delivery(id) {
      const [row] = await database.query(sql`select ${columns} from ${deliveries} where id = ${id}`)
      return row === undefined ? null : toDelivery(row)
    },
    listDeliveries: async (filter, page) => (await database.query(listStatement(filter, page))).map(toDelivery),
    async countDeliveries(filter, most) {
      const [row] = await database.query(sql`select count(*) as count
from (select 1 from ${deliveries} where ${whereDelivery(filter)} limit ${most}) counted`)
      return Number(row?.['count'] ?? 0)
    },
    async attempts(deliveryId) {
      const rows = await database.query(sql`select * from ${table('attempts')}
where delivery_id = ${deliveryId}
order by epoch
limit ${mostAttempts}`)
      return rows.map(toAttempt)
    },
    addDelivery: (delivery, now, by) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query(sql`insert into ${deliveries} (
  id, webhook_id, application_id, message_id, event_type, session_id, target_url, next_retry_at, policy, created_at, updated_at)
select ${delivery.id}, ${delivery.endpointId}, m.application_id, m.id, m.type, m.session_id,
  ${delivery.targetUrl}, ${delivery.nextRetryAt}, ${delivery.policy}, ${now}, ${now}
from ${table('messages')} m
where m.id = ${delivery.messageId}
returning ${columns}`)
        if (row === undefined) return null
        await record(tx, { action: 'resend', target: delivery.id, count: 1, at: now, by })
        return toDelivery(row)
      }),
  }
}

/** Newest first, which is the order of the ids. */
export function listStatement(filter: DeliveryFilter, page: Page): Sql {
  const { applicationId, ...rest } = filter
  const isNarrow = filter.ids !== undefined || filter.endpointId !== undefined || filter.messageId !== undefined
  const where = applicationId === undefined || isNarrow ? pageOf(filter, page) : newestOfEndpoints(applicationId, pageOf(rest, page), page)
  return sql`select ${columns}
from ${deliveries}
where ${where}
order by id desc
limit ${page.limit}`
}

function pageOf(filter: DeliveryFilter, { after }: Page): Sql {
  return sql`${whereDelivery(filter)} ${after === null ? nothing : sql`and id < ${after}`}`
}

/** The newest of each endpoint of the application, in which the newest of all must be: a few rows each, from an index. */
function newestOfEndpoints(applicationId: string, where: Sql, { limit }: Page): Sql {
  return sql`id in (
  select d.id
  from ${table('endpoints')} e
  cross join ${deliveries} d
  where e.application_id = ${applicationId}
    and d.id in (
      select id from ${deliveries}
      where webhook_id = e.id and ${where}
      order by id desc
      limit ${limit}))`
}
