import { statuses } from '../../../core/delivery/delivery.ts'
import { firstIdAt } from '../../../core/ids.ts'
import type { MessageDirectory, MessageFilter } from '../../../core/ports/directory/messages.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import type { Message } from '../../../core/message/message.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { Cancelled } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { record } from '../audit.ts'
import { cancelRows } from './operations.ts'
import { eraseBodies } from '../upkeep/erase-message.ts'
import type { Database, Executor } from '../sql/database.ts'
import { contains } from '../sql/like.ts'
import { beyond, inOrder } from '../sql/page.ts'
import { isVisible, visible } from '../sql/visible.ts'
import { toMessageProgress } from '../rows/figure-rows.ts'
import { toApplicationId, toId, toMessage } from '../rows/rows.ts'
import { all, forUpdate, insertInto, joined, listOf, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const messages = table('messages')
const statusCounts = statuses
  .map((status) => `sum(case when status = '${status}' then 1 else 0 end) as ${status}`)
  .join(', ')
/** A filter that matches nothing must not read an application's whole history in one call. */
export const mostWalked = 1_000
/** More endpoints than one message can have. */
const mostCancelled = 1_000_000

/** Messages for people to read; the only change they can make is to erase one. */
export function messageDirectory(database: Database): MessageDirectory {
  async function first(where: Sql): Promise<Message | null> {
    const [row] = await database.query(sql`select * from ${messages} where ${where} and ${visible}`)
    return row === undefined ? null : toMessage(row)
  }

  return {
    message: (id) => first(sql`id = ${id}`),
    async messagesById(ids) {
      if (ids.length === 0) return []
      return (await database.query(sql`select * from ${messages} where id in ${listOf(ids)} and ${visible}`)).map(
        toMessage,
      )
    },
    // One after the other: an `or` of both would read all messages of the application.
    messageOf: async (applicationId, idOrEventId) =>
      (await first(sql`application_id = ${applicationId} and id = ${idOrEventId}`)) ??
      (await first(sql`application_id = ${applicationId} and event_id = ${idOrEventId}`)),
    async messagesNamed(name, applicationId, most) {
      return (await database.query(messagesNamed(name, applicationId, most))).map(toId)
    },
    async messageProgress(messageIds) {
      if (messageIds.length === 0) return []
      return (await database.query(progressOf(messageIds))).map(toMessageProgress)
    },
    listMessages: (filter, page) => list(database, filter, page),
    async countMessages(filter, most) {
      const [row] = await database.query(countMessages(filter, most))
      return Number(row?.['count'] ?? 0)
    },
    eraseMessage: (id, now, by) => database.transaction((tx) => erase(tx, id, now, by)),
    expirePayloads: (expiries) =>
      database.transaction(async (tx) => {
        for (const { messageId, eraseAt } of expiries)
          await tx.run(insertInto('payload_expiries', { message_id: messageId, erase_at: eraseAt }))
      }),
  }
}

async function erase(tx: Executor, id: string, now: Instant, by?: Actor): Promise<Cancelled[] | null> {
  const [row] = await tx.query(sql`select application_id from ${messages} where id = ${id} ${forUpdate}`)
  if (row === undefined) return null
  const cancelled = await cancelRows(tx, { filter: { messageId: id }, as: 'cancelled', now, limit: mostCancelled })
  await eraseBodies(tx, [id], now)
  const about = { target: id, applicationId: toApplicationId(row), at: now }
  if (by !== undefined) await record(tx, { action: 'message.erase', ...about, by })
  return cancelled
}

async function list(database: Database, filter: MessageFilter, page: Page): Promise<Scan<Message>> {
  const [end] = isPicky(filter) ? await database.query(walkEnd(filter, page)) : []
  const last = end === undefined ? null : toId(end)
  const found = (await database.query(listMessages(filter, page, last))).map(toMessage)
  const items = found.slice(0, page.limit)
  return { items, next: found.length > page.limit ? (items.at(-1)?.id ?? null) : last }
}

/** The message at which a walk of the allowed length ends; none if the list is shorter. */
export function walkEnd(filter: MessageFilter, page: Page): Sql {
  return sql`select id
from ${messages}
where ${range(filter, page)}
order by id ${inOrder(orderOf(page))}
limit 1 offset ${mostWalked - 1}`
}

/** One more than fits on the page, to know whether there are more. */
export function listMessages(filter: MessageFilter, page: Page, last: string | null): Sql {
  const conditions = [range(filter, page), ...picking(filter)]
  if (last !== null) conditions.push(orderOf(page) === 'ascending' ? sql`id <= ${last}` : sql`id >= ${last}`)
  return sql`select *
from ${messages}
where ${all(conditions)}
order by id ${inOrder(orderOf(page))}
limit ${page.limit + 1}`
}

export function countMessages(filter: MessageFilter, most: number): Sql {
  const where = all([range(filter, { limit: most, after: null }), ...picking(filter)])
  return sql`select count(*) as count
from (select 1 from ${messages} where ${where} limit ${most}) counted`
}

/**
 * Application by application, each from its own range of the indexes. There is no index on event id or key alone: it would cost every
 * message an extra page write.
 */
export function messagesNamed(name: string, applicationId: string | undefined, most: number): Sql {
  const owners = sql`${table('applications')} a${applicationId === undefined ? nothing : sql` where a.id = ${applicationId}`}`
  const own = applicationId === undefined ? nothing : sql` and application_id = ${applicationId}`
  return sql`select distinct id
from (
  select id from ${messages} where id = ${name}${own}
  union all
  select (select m.id from ${messages} m where m.application_id = a.id and m.event_id = ${name}) as id from ${owners}
  union all
  select (select k.message_id from ${table('idempotency_keys')} k where k.application_id = a.id and k.key = ${name}) as id from ${owners}) named
where id is not null
order by id desc
limit ${most}`
}

export function progressOf(messageIds: readonly string[]): Sql {
  return sql`select message_id, ${raw(statusCounts)}
from ${table('webhook_deliveries')}
where message_id in ${listOf(messageIds)}
group by message_id`
}

function picking({ types, channel, text, missingAt }: MessageFilter): Sql[] {
  return [
    ...(missingAt === undefined ? [] : [isMissingAt(missingAt)]),
    ...(types === undefined ? [] : [oneOf('type', types)]),
    ...(channel === undefined ? [] : [hasChannel('channels', channel)]),
    ...(text === undefined ? [] : [contains(raw(`id || ' ' || coalesce(event_id, '')`), text)]),
  ]
}

/** Through the index on a message's deliveries, of which there are few. */
function isMissingAt(endpointId: string): Sql {
  return sql`erased_at is null and not exists (
    select 1 from ${table('webhook_deliveries')} d where d.message_id = ${messages}.id and d.webhook_id = ${endpointId})`
}

export function oneOf(column: string, values: readonly string[]): Sql {
  return values.length === 0 ? raw('1 = 0') : sql`${raw(column)} in ${listOf(values)}`
}

/** Channels are stored as a JSON list of words that need no escaping; both databases support `replace`. */
export function hasChannel(column: string, channel: string): Sql {
  return sql`replace(${raw(column)}, ${JSON.stringify(channel)}, '') <> ${raw(column)}`
}

function range({ applicationId, since, until }: MessageFilter, page: Page): Sql {
  const conditions =
    applicationId === undefined ? [visible] : [sql`application_id = ${applicationId}`, isVisible(applicationId)]
  conditions.push(...beyond(page.after, orderOf(page)))
  // Ids start with their creation time.
  if (since !== undefined) conditions.push(sql`id >= ${firstIdAt('msg', since)}`)
  if (until !== undefined) conditions.push(sql`id < ${firstIdAt('msg', until)}`)
  return joined(conditions, '\n  and ')
}

function orderOf(page: Page): 'ascending' | 'descending' {
  return page.order ?? 'descending'
}

/** Without these conditions, every message read is on the page. */
function isPicky({ types, channel, text, missingAt }: MessageFilter): boolean {
  return types !== undefined || channel !== undefined || text !== undefined || missingAt !== undefined
}
