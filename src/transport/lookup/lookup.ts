import type { LookupAddress } from 'node:dns'

/** Resolves all addresses of a name. Calls back once, perhaps before it has returned, unless it is cancelled with the returned function. */
export type Lookup = (hostname: string, done: LookedUp) => () => void

/** An answer is valid for a number of seconds that the name's owner decides; one without counts as expired. */
export type LookedUp = (error: Error | null, addresses: readonly LookupAddress[], ttlSeconds?: number) => void
