import type { LookupAddress } from 'node:dns'

/** Looks up all addresses of a name. Calls back once, perhaps before it has returned, unless it is cancelled: the answer is how to. */
export type Lookup = (hostname: string, done: LookedUp) => () => void

/** An answer lasts for a number of seconds that the name's owner decides; one without is as good as over. */
export type LookedUp = (error: Error | null, addresses: readonly LookupAddress[], ttlSeconds?: number) => void
