import type { Page } from '../../core/directory.ts'
import { expected } from '../../core/errors.ts'
import { checkCount } from '../../core/limits.ts'

const mostRows = 1_000

/** A page with its defaults: fifty rows from the start, in the list's usual order. */
export function checkPage({ limit = 50, after = null, order }: Partial<Page>): Page {
  checkCount('limit', limit, 1, mostRows)
  if (order !== undefined && order !== 'ascending' && order !== 'descending') {
    throw expected('invalid_argument', 'order', '"ascending" or "descending"', order)
  }
  return { limit, after, order }
}
