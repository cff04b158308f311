import { sql } from './sql.ts'
import type { Sql } from './sql.ts'

/** True if the text contains this one, ignoring case; wildcards match literally. */
export function contains(expression: Sql, text: string): Sql {
  // Also match the text as typed: SQLite only folds the case of ASCII, and would not find "Österreich" by its own name.
  return sql`(lower(${expression}) like ${containing(text.toLowerCase())} escape '!' or ${expression} like ${containing(text)} escape '!')`
}

/** A pattern for `like … escape '!'`. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`
}
