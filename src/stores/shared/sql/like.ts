import { sql } from './sql.ts'
import type { Sql } from './sql.ts'

/** Text that holds this one, whatever its case; what has a meaning in patterns stands for itself. */
export function contains(expression: Sql, text: string): Sql {
  // Also as it was typed: SQLite knows the case of ASCII only, and would not find "Österreich" by its own name.
  return sql`(lower(${expression}) like ${containing(text.toLowerCase())} escape '!' or ${expression} like ${containing(text)} escape '!')`
}

/** A pattern for `like … escape '!'`. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`
}
