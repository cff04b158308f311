import type { Invariant } from './invariant.ts'
import { messageInvariants } from './messages.ts'

export const invariants: readonly Invariant[] = [...messageInvariants]
