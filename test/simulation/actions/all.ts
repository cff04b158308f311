import { endpointActions } from './endpoints.ts'
import type { AnyActionKind } from './kind.ts'
import { operatorActions } from './operators.ts'
import { processActions } from './processes.ts'
import { senderActions } from './senders.ts'
import { storeFaultActions } from './store-faults.ts'

/** Everything that can happen to a world. */
export const actionKinds: readonly AnyActionKind[] = [...processActions, ...storeFaultActions, ...endpointActions, ...operatorActions, ...senderActions]

export const actionNames: ReadonlySet<string> = new Set(actionKinds.map(({ name }) => name))
