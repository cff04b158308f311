import { alarmCases } from './directory/alarms.ts'
import { applicationCases } from './directory/applications.ts'
import { attemptCases } from './directory/attempts.ts'
import { auditCases } from './directory/audit.ts'
import type { StoreCase } from './case.ts'
import { claimCases } from './queue/claim.ts'
import { deliveryCases } from './directory/deliveries.ts'
import { endpointCases } from './directory/endpoints.ts'
import { enqueueCases } from './queue/enqueue.ts'
import { erasureCases } from './directory/erasure.ts'
import { eventIdCases } from './queue/event-ids.ts'
import { eventTypeCases } from './directory/event-types.ts'
import { figureCases } from './directory/figures.ts'
import { oneEndpointCases } from './directory/one-endpoint/figures.ts'
import { generationCases } from './queue/generations.ts'
import { healthCases } from './queue/health.ts'
import { jobBatchCases } from './directory/jobs/batches.ts'
import { jobRecordCases } from './directory/jobs/records.ts'
import { replayCases } from './directory/jobs/replays.ts'
import { keyCases } from './directory/keys.ts'
import { leaseCases } from './queue/lease.ts'
import { markCases } from './queue/mark.ts'
import { messageCases } from './directory/messages.ts'
import { operatorCases } from './queue/operator.ts'
import { overviewCases } from './directory/overview.ts'
import { pruneCases } from './queue/prune.ts'
import { rateLimitCases } from './queue/rate-limits.ts'
import { outcomeCases } from './queue/takeover/outcomes.ts'
import { suspectCases } from './queue/takeover/suspects.ts'
import { takeoverCases } from './queue/takeover/takeovers.ts'
import { workerCases } from './directory/workers.ts'
import { replyCases } from './directory/replies.ts'
import { searchCases } from './search.ts'

export type { StoreCase } from './case.ts'

/** What every store must do, case by case, for any test runner: `for (const { name, run } of storeSuite) test(name, () => run(make))`. */
export const storeSuite: readonly StoreCase[] = [
  ...enqueueCases,
  ...eventIdCases,
  ...claimCases,
  ...takeoverCases,
  ...suspectCases,
  ...outcomeCases,
  ...leaseCases,
  ...markCases,
  ...operatorCases,
  ...pruneCases,
  ...messageCases,
  ...deliveryCases,
  ...attemptCases,
  ...applicationCases,
  ...erasureCases,
  ...endpointCases,
  ...eventTypeCases,
  ...jobRecordCases,
  ...jobBatchCases,
  ...replayCases,
  ...auditCases,
  ...keyCases,
  ...replyCases,
  ...overviewCases,
  ...figureCases,
  ...oneEndpointCases,
  ...healthCases,
  ...generationCases,
  ...rateLimitCases,
  ...workerCases,
  ...alarmCases,
  ...searchCases,
]
