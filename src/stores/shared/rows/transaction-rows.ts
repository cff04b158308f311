import type { MatchedApplication } from '../../../core/ports/ports.ts'
import type { Row } from '../sql/database.ts'
import { text, textOrNull } from './columns.ts'
import { toApplicationId, toEndpointsVersion, toSubscriber } from './rows.ts'

/** None for a name that no application has. */
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

/** True if the transaction has written something before: then there is one. */
export function hasWritten(row: Row): boolean {
  return row['has_written'] === true
}

/** True if an idempotency key is held by a message of so long ago that it may be used again. */
export function isExpired(row: Row | undefined): boolean {
  return row?.['is_expired'] === true
}
