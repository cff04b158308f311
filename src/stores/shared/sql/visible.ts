import { sql, table, words } from './sql.ts'
import type { Sql } from './sql.ts'

/**
 * True of what belongs to no application that is being erased: nobody sees any of it from the moment of the deletion on. A list
 * that is nearly always empty, asked as a filter, so that no plan changes for it.
 */
export function visible(column = 'application_id'): Sql {
  return sql`${words(column)} not in (select e.application_id from ${table('erasures')} e)`
}
