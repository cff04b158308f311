import { endpointPatterns, endpointPerformers } from './endpoints.ts'
import type { Pattern, Performer } from './kind.ts'
import { operatorPatterns, operatorPerformers } from './operators.ts'
import { probePatterns } from './probes.ts'
import { processPatterns, processPerformers } from './processes.ts'
import { senderPatterns, senderPerformers } from './senders.ts'
import { storeFaultPatterns, storeFaultPerformers } from './store-faults.ts'

/** What can happen in a world, and how often. */
export const patterns: readonly Pattern[] = [
  ...processPatterns,
  ...storeFaultPatterns,
  ...endpointPatterns,
  ...operatorPatterns,
  ...senderPatterns,
  ...probePatterns,
]

/** What each action does. */
export const performers: ReadonlyMap<string, Performer> = new Map(
  [
    ...processPerformers,
    ...storeFaultPerformers,
    ...endpointPerformers,
    ...operatorPerformers,
    ...senderPerformers,
  ].map((each) => [each.name, each]),
)

export const actionNames: ReadonlySet<string> = new Set(performers.keys())
