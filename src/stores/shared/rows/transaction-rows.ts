import type { MatchedApplication } from '../../../core/ports/ports.ts'
import type { Row } from '../sql/database.ts'
import { text, textOrNull } from './columns.ts'
import { toApplicationId, toEndpointsVersion, toSubscriber } from './rows.ts'

/** Empty for a name that no application has. */
export function toMatchedApplication(row: Row): [name: string, application: MatchedApplication][] {
  if (textOrNull(row, 'application_id') === null) return []
  const subscribers = JSON.parse(text(row, 'endpoints')) as Row[]
  const application = {
    applicationId: toApplicationId(row),
    endpointsVersion: toEndpointsVersion(row),
    endpoints: subscribers.map(toSubscriber),
  }
  return [[text(row, 'name'), application]]
}

/** True if the transaction has already written something, which proves that there is a transaction. */
export function hasWritten(row: Row): boolean {
  return row['has_written'] === true
}

/** True if the message that holds an idempotency key is so old that the key can be reused. */
export function isExpired(row: Row | undefined): boolean {
  return row?.['is_expired'] === true
}
