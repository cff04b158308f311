import type { TableName } from '../shared/sql/sql.ts'

/** How a table is treated when its database is copied: rows are copied in key order, or the table is left out for a reason. */
type CopyRule =
  | { readonly kind: 'copied'; readonly key: readonly string[] }
  | { readonly kind: 'left out'; readonly reason: string }

/** One rule per table: a new table cannot be forgotten, because this would not compile without it. */
export const copyRules: Readonly<Record<TableName, CopyRule>> = {
  applications: copied('id'),
  endpoints: copied('id'),
  endpoint_secrets: copied('id'),
  endpoint_health: copied('endpoint_id'),
  event_types: copied('name'),
  keys: copied('id'),
  messages: copied('id'),
  payload_expiries: copied('message_id'),
  webhook_deliveries: copied('id'),
  attempts: copied('delivery_id', 'epoch'),
  idempotency_keys: copied('application_id', 'key'),
  replies: copied('key'),
  endpoint_minutes: copied('minute', 'endpoint_id'),
  rate_limits: copied('id'),
  jobs: copied('id'),
  erasures: copied('application_id'),
  alarms: copied('id'),
  audit: copied('id'),
  workers: leftOut('those of the source have ended'),
  leases: leftOut('whose turn it was among workers that have ended'),
  events: leftOut('what processes tell each other while somebody watches; soon forgotten'),
  migrations: leftOut('the target has its own, of the same version'),
  moved_to: leftOut('says of the source that it was copied'),
  copy_progress: leftOut('says of the target how far the copy is'),
}

export interface CopiedTable {
  readonly name: TableName
  readonly key: readonly string[]
}

/** The tables to copy, in this order. */
export const copiedTables: readonly CopiedTable[] = Object.entries(copyRules).flatMap(([name, rule]) =>
  rule.kind === 'copied' ? [{ name: name as TableName, key: rule.key }] : [],
)

function copied(...key: string[]): CopyRule {
  return { kind: 'copied', key }
}

function leftOut(reason: string): CopyRule {
  return { kind: 'left out', reason }
}
