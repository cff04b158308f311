import type { BulkFilter } from '../actions.ts'

/** The rows that were selected one by one, on any page; or all that match, with how many of them can be retried and cancelled. */
export type Selected =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly requeue: number; readonly cancel: number }

export const nothingSelected: Selected = { kind: 'some', ids: new Set() }

export interface Selection {
  readonly selected: Selected
  readonly change: (selected: Selected) => void
}

export function isSelected(selected: Selected, id: string): boolean {
  return selected.kind === 'all' || selected.ids.has(id)
}

/** After a click on one row. Deselecting one while all that match are selected keeps the other rows of the page. */
export function withToggled(selected: Selected, id: string, page: readonly string[]): Selected {
  const ids = new Set(selected.kind === 'all' ? page : selected.ids)
  if (!ids.delete(id)) ids.add(id)
  return { kind: 'some', ids }
}

/** After a click on the checkbox in the header: selects or deselects this page, and leaves other pages as they are. */
export function withPageToggled(selected: Selected, page: readonly string[]): Selected {
  if (selected.kind === 'all') return nothingSelected
  const isWhole = page.every((id) => selected.ids.has(id))
  const others = [...selected.ids].filter((id) => !page.includes(id))
  return { kind: 'some', ids: new Set(isWhole ? others : [...others, ...page]) }
}

export const retriable = ['failed', 'dead']
export const open = ['pending', 'failed']

/** The filters as a bulk job takes them, limited to the statuses that it can change; null if there are none, or a job cannot express them. */
export function bulkFilter(
  given: URLSearchParams,
  endpoint: string | undefined,
  statuses: readonly string[],
): BulkFilter | null {
  const chosen = given.getAll('status')
  const status = chosen.length === 0 ? statuses : chosen.filter((each) => statuses.includes(each))
  if (status.length === 0 || given.has('text') || given.has('id')) return null
  const fields = {
    status,
    reason: given.get('reason'),
    endpoint: endpoint ?? given.get('endpoint'),
    application: given.get('application'),
    eventType: given.get('event_type'),
    message: given.get('message'),
    since: given.get('since'),
    until: given.get('until'),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
