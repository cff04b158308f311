import { sql, table } from './sql.ts'
import type { Sql, TableName } from './sql.ts'

// Nobody sees anything of an application from the moment of its deletion on. The list is nearly always empty, and asked as a
// filter, so that no plan changes for it.

const erased = sql`(select x.application_id from ${table('erasures')} x)`

/** True of rows that belong to no application that is being erased. */
export const visible: Sql = sql`application_id not in ${erased}`

/** The same of one application: asked once, not for each row. */
export function isVisible(applicationId: string): Sql {
  return sql`cast(${applicationId} as text) not in ${erased}`
}

/** The same of the application that a message or an endpoint belongs to. */
export function visibleOwner(name: TableName & ('messages' | 'endpoints'), id: string): Sql {
  return sql`not exists (select 1 from ${table(name)} o where o.id = ${id} and o.application_id in ${erased})`
}
