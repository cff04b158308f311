import type { TailRow } from './tail-row.ts'

/** What each column must contain; empty for anything. */
export interface TailFilter {
  /** The type of event on the stream, such as `delivery.failed`. */
  readonly type: string
  readonly eventType: string
  readonly customer: string
  readonly endpoint: string
  /** How the code begins: 5 is every 5xx. */
  readonly code: string
  /** Milliseconds. */
  readonly slowerThan: string
}

/** True if the row matches the filter. The server has already filtered by type. */
export function picks({ eventType, customer, endpoint, code, slowerThan }: TailFilter, row: TailRow): boolean {
  return (
    contains(row.eventType, eventType) &&
    contains(row.customer, customer) &&
    contains(row.endpoint, endpoint) &&
    (code === '' || (row.code ?? '').startsWith(code)) &&
    (slowerThan === '' || (row.latencyMs ?? -1) >= Number(slowerThan))
  )
}

function contains(value: string | null, part: string): boolean {
  return part === '' || (value ?? '').toLowerCase().includes(part.toLowerCase())
}
