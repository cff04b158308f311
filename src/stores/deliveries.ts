import type { Directory } from '../core/ports.ts'
import type { Database } from './database.ts'
import { whereDelivery } from './filter.ts'
import { record } from './operations.ts'
import { deliveryColumns, toAttempt, toDelivery, toMessage } from './rows.ts'
import { nothing, sql, table, words } from './sql.ts'
import type { Sql } from './sql.ts'
import type { DeliveryFilter, Page } from '../core/ports.ts'

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
export function listStatement(filter: DeliveryFilter, { after, limit }: Page): Sql {
  return sql`select ${columns}
from ${deliveries}
where ${whereDelivery(filter)} ${after === null ? nothing : sql`and id < ${after}`}
order by id desc
limit ${limit}`
}
