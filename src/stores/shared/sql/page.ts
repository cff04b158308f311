import type { Order, Page } from '../../../core/ports/directory/page.ts'
import { all, nothing, sql, raw } from './sql.ts'
import type { Sql } from './sql.ts'

/** `where`, `order by` and `limit` for one page of a list sorted by one column; `usual` is the default order of the list. */
export function pageOf(page: Page, usual: Order, conditions: readonly Sql[] = [], column = 'id'): Sql {
  const order = page.order ?? usual
  const wanted = [...conditions, ...beyond(page.after, order, column)]
  return sql`${wanted.length === 0 ? nothing : sql`where ${all(wanted)}`}
order by ${raw(column)} ${inOrder(order)}
limit ${page.limit}`
}

/** Everything after a position in the list; the whole list if there is no position. */
export function beyond(after: string | null, order: Order, column = 'id'): Sql[] {
  if (after === null) return []
  return [order === 'ascending' ? sql`${raw(column)} > ${after}` : sql`${raw(column)} < ${after}`]
}

export function inOrder(order: Order): Sql {
  return raw(order === 'ascending' ? 'asc' : 'desc')
}
