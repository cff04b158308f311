import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDirectory } from '../../../core/ports/directory.ts'
import { record } from '../audit.ts'
import type { Database, Executor } from '../sql/database.ts'
import { fromEventType, toEventType } from '../rows/directory-rows.ts'
import { pageOf } from '../sql/page.ts'
import { assignments, forUpdate, insertInto, sql, table } from '../sql/sql.ts'

const eventTypes = table('event_types')

/** The kinds of events that applications can subscribe to; they belong to all applications. */
export function eventTypeDirectory(database: Database): EventTypeDirectory {
  return {
    createEventType: (eventType, by) =>
      database.transaction(async (tx) => {
        const made = await tx.run(
          sql`${insertInto('event_types', fromEventType(eventType))}\non conflict (name) do nothing`,
        )
        if (made === 0) throw takenName(eventType.name)
        const about = { target: eventType.name, at: eventType.createdAt, after: eventType }
        if (by !== undefined) await record(tx, { action: 'event-type.create', ...about, by })
        return eventType
      }),
    async eventType(name) {
      const [row] = await database.query(sql`select * from ${eventTypes} where name = ${name}`)
      return row === undefined ? null : toEventType(row)
    },
    async listEventTypes({ archived }, page) {
      // Archived ones are shown beside the others, or left out.
      const conditions = archived ? [] : [sql`archived = 0`]
      const rows = await database.query(
        sql`select * from ${eventTypes} ${pageOf(page, 'ascending', conditions, 'name')}`,
      )
      return rows.map(toEventType)
    },
    updateEventType: (name, change, now, by) =>
      database.transaction(async (tx) => {
        const eventType = await lockedEventType(tx, name)
        if (eventType === null) return null
        const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const next: EventTypeDefinition = { ...eventType, ...given, updatedAt: now }
        await tx.run(sql`update ${eventTypes} set ${assignments(fromEventType(next))} where name = ${name}`)
        const about = { target: name, at: now, before: eventType, after: next }
        if (by !== undefined) await record(tx, { action: 'event-type.update', ...about, by })
        return next
      }),
    deleteEventType: (name, now, by) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query(sql`delete from ${eventTypes} where name = ${name} returning *`)
        if (row === undefined) return false
        const about = { target: name, at: now, before: toEventType(row) }
        if (by !== undefined) await record(tx, { action: 'event-type.delete', ...about, by })
        return true
      }),
  }
}

function takenName(name: string): PosthornError {
  return new PosthornError(
    'already_exists',
    `Expected \`name\` to be free, got "${name}", which is in use. Update the event type there is.`,
  )
}

async function lockedEventType(tx: Executor, name: string): Promise<EventTypeDefinition | null> {
  const [row] = await tx.query(sql`select * from ${eventTypes} where name = ${name} ${forUpdate}`)
  return row === undefined ? null : toEventType(row)
}
