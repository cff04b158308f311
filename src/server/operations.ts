import type { Operation } from './operation.ts'
import { applicationOperations } from './routes/applications.ts'
import { attemptOperations } from './routes/attempts.ts'
import { authenticationOperations } from './routes/authentication.ts'
import { destinationOperations } from './routes/destinations.ts'
import { endpointCareOperations } from './routes/endpoint-care.ts'
import { endpointOperations } from './routes/endpoints.ts'
import { eventTypeOperations } from './routes/event-types.ts'
import { healthOperations } from './routes/health.ts'
import { keyOperations } from './routes/keys.ts'
import { messageOperations } from './routes/messages.ts'
import { taskOperations } from './routes/tasks.ts'

/** Every call of the HTTP API. What is not in this table is not answered, not described and not tested. */
export const operations: readonly Operation[] = [
  ...applicationOperations,
  ...endpointOperations,
  ...endpointCareOperations,
  ...eventTypeOperations,
  ...messageOperations,
  ...attemptOperations,
  ...destinationOperations,
  ...taskOperations,
  ...authenticationOperations,
  ...keyOperations,
  ...healthOperations,
]
