import { applicationCases } from './applications.ts'
import type { StoreCase } from './case.ts'
import { claimCases } from './claim.ts'
import { deliveryCases } from './deliveries.ts'
import { endpointCases } from './endpoints.ts'
import { enqueueCases } from './enqueue.ts'
import { healthCases } from './health.ts'
import { leaseCases } from './lease.ts'
import { markCases } from './mark.ts'
import { operatorCases } from './operator.ts'
import { overviewCases } from './overview.ts'
import { pruneCases } from './prune.ts'
import { workerCases } from './workers.ts'

/** What every store must do, case by case, for any test runner: `for (const { name, run } of storeSuite) test(name, () => run(make))`. */
export const storeSuite: readonly StoreCase[] = [
  ...enqueueCases,
  ...claimCases,
  ...leaseCases,
  ...markCases,
  ...operatorCases,
  ...pruneCases,
  ...deliveryCases,
  ...applicationCases,
  ...endpointCases,
  ...overviewCases,
  ...healthCases,
  ...workerCases,
]
