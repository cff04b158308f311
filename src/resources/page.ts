import { checkCount } from '../core/pace.ts'
import type { Page } from '../core/ports.ts'

const mostRows = 1_000

/** A page with its defaults: fifty rows from the start. */
export function checkPage({ limit = 50, after = null }: Partial<Page>): Page {
  checkCount('limit', limit, 1, mostRows)
  return { limit, after }
}
