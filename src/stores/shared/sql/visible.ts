import { sql, table } from './sql.ts'
import type { Sql, TableName } from './sql.ts'

// All data of an application is hidden from the moment it is deleted. The list of erasures is nearly always empty, and it is used as a
// filter so that it does not change any query plan.

const erased = sql`(select x.application_id from ${table('erasures')} x)`

/** True for rows whose application is not being erased. */
export const visible: Sql = sql`application_id not in ${erased}`

/** The same for one application: evaluated once, not for each row. */
export function isVisible(applicationId: string): Sql {
  return sql`cast(${applicationId} as text) not in ${erased}`
}

/** The same for the application that owns a message or an endpoint. */
export function visibleOwner(name: TableName & ('messages' | 'endpoints'), id: string): Sql {
  return sql`not exists (select 1 from ${table(name)} o where o.id = ${id} and o.application_id in ${erased})`
}
