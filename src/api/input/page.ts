import { expected } from '../../core/errors.ts'
import { checkCount } from '../../core/limits/limits.ts'
import type { Page } from '../../core/ports/directory/page.ts'

const mostRows = 1_000

/** A page whose fields are all optional. */
type GivenPage = { readonly [Name in keyof Page]?: Page[Name] | undefined }

/** A page with its defaults: fifty rows from the start, in the list's default order. */
export function checkPage({ limit = 50, after = null, order }: GivenPage): Page {
  checkCount('limit', limit, 1, mostRows)
  if (order !== undefined && order !== 'ascending' && order !== 'descending') {
    throw expected('invalid_argument', 'order', '"ascending" or "descending"', order)
  }
  return { limit, after, order }
}
