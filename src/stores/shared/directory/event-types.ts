import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import { withSchema } from '../../../core/message/schema-change.ts'
import { PosthornError } from '../../../core/errors.ts'
import type { EventTypeDirectory } from '../../../core/ports/directory/event-types.ts'
import { record } from '../audit.ts'
import type { Database, Executor } from '../sql/database.ts'
import { fromEventType, toEventType } from '../rows/directory-rows.ts'
import { contains } from '../sql/like.ts'
import { pageOf } from '../sql/page.ts'
import { assignments, forUpdate, insertInto, sql, table } from '../sql/sql.ts'

const eventTypes = table('event_types')

/** The event types that applications can subscribe to; they are shared by all applications. */
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
    async listEventTypes({ archived, text = '' }, page) {
      const conditions = archived === true ? [] : [archived === 'only' ? sql`archived = 1` : sql`archived = 0`]
      if (text !== '') conditions.push(contains(sql`(name || ' ' || description)`, text))
      const rows = await database.query(
        sql`select * from ${eventTypes} ${pageOf(page, 'ascending', conditions, 'name')}`,
      )
      return rows.map(toEventType)
    },
    updateEventType: (name, change, now, by) =>
      database.transaction((tx) => update(tx, name, () => ({ ...change, updatedAt: now }), by)),
    setEventTypeSchema: (name, change, now, by) =>
      database.transaction((tx) =>
        update(tx, name, ({ schemas }) => ({ schemas: withSchema(schemas ?? {}, change), updatedAt: now }), by),
      ),
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

/** Applies the change to the current row, under its lock; undefined fields stay unchanged. */
async function update(
  tx: Executor,
  name: string,
  change: (eventType: EventTypeDefinition) => Partial<EventTypeDefinition>,
  by: Actor | undefined,
): Promise<EventTypeDefinition | null> {
  const before = await lockedEventType(tx, name)
  if (before === null) return null
  const given = Object.entries(change(before)).filter(([, value]) => value !== undefined)
  const after: EventTypeDefinition = { ...before, ...Object.fromEntries(given) }
  await tx.run(sql`update ${eventTypes} set ${assignments(fromEventType(after))} where name = ${name}`)
  const about = { target: name, at: after.updatedAt, before, after }
  if (by !== undefined) await record(tx, { action: 'event-type.update', ...about, by })
  return after
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
