import type { Operation } from './operation.ts'
import { alarmOperations } from './routes/operator/alarms.ts'
import { applicationOverviewOperations } from './routes/operator/customer/applications.ts'
import { messageOverviewOperations } from './routes/operator/customer/messages.ts'
import { applicationOperations } from './routes/svix/applications.ts'
import { attemptOperations } from './routes/svix/attempts.ts'
import { auditOperations } from './routes/operator/audit.ts'
import { authenticationOperations } from './routes/svix/portal-access.ts'
import { configOperations } from './routes/operator/config.ts'
import { deadLetterOperations } from './routes/operator/dead-letters.ts'
import { deliveryCountOperations } from './routes/operator/delivery-counts.ts'
import { deliveryOperations } from './routes/operator/deliveries.ts'
import { destinationOperations } from './routes/svix/destinations.ts'
import { endpointHeaderOperations } from './routes/svix/endpoint/headers.ts'
import { endpointRecoveryOperations } from './routes/svix/endpoint/recovery.ts'
import { endpointSecretOperations } from './routes/svix/endpoint/secrets.ts'
import { sendExampleOperations } from './routes/svix/endpoint/send-example.ts'
import { endpointStatsOperations } from './routes/svix/endpoint/stats.ts'
import { endpointPageOperations } from './routes/operator/endpoint/endpoint-page.ts'
import { endpointOverviewOperations } from './routes/operator/endpoint-overviews.ts'
import { endpointOperations } from './routes/svix/endpoint/endpoints.ts'
import { eventTypeOperations } from './routes/svix/event-types.ts'
import { eventTypePageOperations } from './routes/operator/event-type/event-type-page.ts'
import { healthOperations } from './routes/svix/health.ts'
import { jobOperations } from './routes/operator/jobs.ts'
import { keyOperations } from './routes/operator/keys.ts'
import { messageOperations } from './routes/svix/messages.ts'
import { overviewOperations } from './routes/operator/overview.ts'
import { searchOperations } from './routes/operator/search.ts'
import { sessionOperations } from './routes/operator/session.ts'
import { openSessionOperations } from './routes/operator/sessions.ts'
import { streamOperations } from './routes/operator/stream.ts'
import { taskOperations } from './routes/svix/tasks.ts'

/** Every call of the HTTP API. A call that is not in this table is not answered, described or tested. */
export const operations: readonly Operation[] = [
  ...likeSvix(applicationOperations),
  ...likeSvix(endpointOperations),
  ...likeSvix(endpointHeaderOperations),
  ...likeSvix(endpointSecretOperations),
  ...likeSvix(sendExampleOperations),
  ...likeSvix(endpointStatsOperations),
  ...likeSvix(endpointRecoveryOperations),
  ...likeSvix(eventTypeOperations),
  ...likeSvix(messageOperations),
  ...likeSvix(attemptOperations),
  ...likeSvix(destinationOperations),
  ...likeSvix(taskOperations),
  ...likeSvix(authenticationOperations),
  ...keyOperations,
  ...overviewOperations,
  ...alarmOperations,
  ...applicationOverviewOperations,
  ...messageOverviewOperations,
  ...endpointOverviewOperations,
  ...endpointPageOperations,
  ...eventTypePageOperations,
  ...deliveryOperations,
  ...deliveryCountOperations,
  ...deadLetterOperations,
  ...jobOperations,
  ...auditOperations,
  ...streamOperations,
  ...searchOperations,
  ...configOperations,
  ...sessionOperations,
  ...openSessionOperations,
  ...likeSvix(healthOperations),
]

function likeSvix(own: readonly Operation[]): Operation[] {
  return own.map((operation) => ({ ...operation, shape: 'svix' }))
}
