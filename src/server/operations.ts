import type { Operation } from './operation.ts'
import { applicationOperations } from './routes/applications.ts'
import { attemptOperations } from './routes/attempts.ts'
import { auditOperations } from './routes/audit.ts'
import { authenticationOperations } from './routes/authentication.ts'
import { configOperations } from './routes/config.ts'
import { deadLetterOperations } from './routes/dead-letters.ts'
import { deliveryOperations } from './routes/deliveries.ts'
import { destinationOperations } from './routes/destinations.ts'
import { endpointCareOperations } from './routes/endpoint-care.ts'
import { endpointOverviewOperations } from './routes/endpoint-overviews.ts'
import { endpointOperations } from './routes/endpoints.ts'
import { eventTypeOperations } from './routes/event-types.ts'
import { healthOperations } from './routes/health.ts'
import { jobOperations } from './routes/jobs.ts'
import { keyOperations } from './routes/keys.ts'
import { messageOperations } from './routes/messages.ts'
import { overviewOperations } from './routes/overview.ts'
import { sessionOperations } from './routes/session.ts'
import { streamOperations } from './routes/stream.ts'
import { taskOperations } from './routes/tasks.ts'

/** Every call of the HTTP API. What is not in this table is not answered, not described and not tested. */
export const operations: readonly Operation[] = [
  ...likeSvix(applicationOperations),
  ...likeSvix(endpointOperations),
  ...likeSvix(endpointCareOperations),
  ...likeSvix(eventTypeOperations),
  ...likeSvix(messageOperations),
  ...likeSvix(attemptOperations),
  ...likeSvix(destinationOperations),
  ...likeSvix(taskOperations),
  ...likeSvix(authenticationOperations),
  ...keyOperations,
  ...overviewOperations,
  ...endpointOverviewOperations,
  ...deliveryOperations,
  ...deadLetterOperations,
  ...jobOperations,
  ...auditOperations,
  ...streamOperations,
  ...configOperations,
  ...sessionOperations,
  ...likeSvix(healthOperations),
]

function likeSvix(own: readonly Operation[]): Operation[] {
  return own.map((operation) => ({ ...operation, shape: 'svix' }))
}
