import { firstIdAt } from '../../../core/ids.ts'
import type { EventDirectory } from '../../../core/ports/directory/events.ts'
import type { Database } from '../sql/database.ts'
import { fromEvent, toEvent } from '../rows/directory-rows.ts'
import { joined, sql, table } from '../sql/sql.ts'

const events = table('events')
const leases = table('leases')
const watching = 'watching the stream'
const rowsPerInsert = 500

/** Events that processes share with each other: written only while someone is watching, and deleted soon. */
export function eventDirectory(database: Database): EventDirectory {
  return {
    watchEvents: (until) =>
      database.transaction(async (tx) => {
        await tx.run(sql`insert into ${leases} as held (name, owner, until)
values (${watching}, ${'everyone'}, ${until})
on conflict (name) do update
set until = excluded.until
where held.until < excluded.until`)
      }),
    async areEventsWatched(now) {
      const rows = await database.query(sql`select 1 from ${leases} where name = ${watching} and until > ${now}`)
      return rows.length > 0
    },
    addEvents: (origin, added, before) =>
      database.transaction(async (tx) => {
        for (let start = 0; start < added.length; start += rowsPerInsert) {
          const rows = added.slice(start, start + rowsPerInsert).map((event) => fromEvent(origin, event))
          const values = rows.map(({ id, data }) => sql`(${id}, ${origin}, ${data})`)
          await tx.run(
            sql`insert into ${events} (id, origin, data)\nvalues ${joined(values, ', ')}\non conflict (id) do nothing`,
          )
        }
        await tx.run(sql`delete from ${events} where id < ${firstIdAt('evt', before)}`)
      }),
    async eventsFrom(id, notOf, limit) {
      const rows = await database.query(sql`select id, data from ${events}
where id >= ${id} and origin <> ${notOf}
order by id
limit ${limit}`)
      return rows.map(toEvent)
    },
  }
}
