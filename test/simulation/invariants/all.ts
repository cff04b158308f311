import { alarmInvariants } from './alarms.ts'
import { attemptInvariants } from './attempts.ts'
import { catchingUpInvariants } from './catching-up.ts'
import { countInvariants } from './counts.ts'
import { delayInvariants } from './delays.ts'
import { explanationInvariants } from './explanations.ts'
import type { Invariant } from './invariant.ts'
import { leaseInvariants } from './leases.ts'
import { limitInvariants } from './limits.ts'
import { messageInvariants } from './messages.ts'
import { promptnessInvariants } from './promptness.ts'
import { waitInvariants } from './waits.ts'

/** Everything that is promised, and checked after every run. */
export const invariants: readonly Invariant[] = [
  ...messageInvariants,
  ...leaseInvariants,
  ...attemptInvariants,
  ...waitInvariants,
  ...limitInvariants,
  ...delayInvariants,
  ...promptnessInvariants,
  ...catchingUpInvariants,
  ...explanationInvariants,
  ...countInvariants,
  ...alarmInvariants,
]
