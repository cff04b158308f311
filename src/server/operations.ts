import type { Operation } from './operation.ts'
import { applicationOperations } from './routes/applications.ts'
import { authenticationOperations } from './routes/authentication.ts'
import { healthOperations } from './routes/health.ts'
import { keyOperations } from './routes/keys.ts'

/** Every call of the HTTP API. What is not in this table is not answered, not described and not tested. */
export const operations: readonly Operation[] = [
  ...applicationOperations,
  ...authenticationOperations,
  ...keyOperations,
  ...healthOperations,
]
