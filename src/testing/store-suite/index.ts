import { applicationCases } from './applications.ts'
import { attemptCases } from './attempts.ts'
import type { StoreCase } from './case.ts'
import { claimCases } from './claim.ts'
import { deliveryCases } from './deliveries.ts'
import { endpointCases } from './endpoints.ts'
import { enqueueCases } from './enqueue.ts'
import { eventIdCases } from './event-ids.ts'
import { eventTypeCases } from './event-types.ts'
import { figureCases } from './figures.ts'
import { generationCases } from './generations.ts'
import { healthCases } from './health.ts'
import { jobCases } from './jobs.ts'
import { keyCases } from './keys.ts'
import { leaseCases } from './lease.ts'
import { markCases } from './mark.ts'
import { messageCases } from './messages.ts'
import { operatorCases } from './operator.ts'
import { overviewCases } from './overview.ts'
import { pruneCases } from './prune.ts'
import { rateLimitCases } from './rate-limits.ts'
import { takeoverCases } from './takeover.ts'
import { workerCases } from './workers.ts'
import { replyCases } from './replies.ts'

/** What every store must do, case by case, for any test runner: `for (const { name, run } of storeSuite) test(name, () => run(make))`. */
export const storeSuite: readonly StoreCase[] = [
  ...enqueueCases,
  ...eventIdCases,
  ...claimCases,
  ...takeoverCases,
  ...leaseCases,
  ...markCases,
  ...operatorCases,
  ...pruneCases,
  ...messageCases,
  ...deliveryCases,
  ...attemptCases,
  ...applicationCases,
  ...endpointCases,
  ...eventTypeCases,
  ...jobCases,
  ...keyCases,
  ...replyCases,
  ...overviewCases,
  ...figureCases,
  ...healthCases,
  ...generationCases,
  ...rateLimitCases,
  ...workerCases,
]
