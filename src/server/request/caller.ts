import type { ApiKey, PortalAccess } from '../../core/ports/key.ts'

/** Who calls: the key, as far as an operation needs to know it. */
export interface Caller extends Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> {
  /** Set for a customer that came by a link to the portal. */
  readonly portal?: PortalAccess | null
  /** The key in whose place it stands, if it is the session of a browser. */
  readonly sessionOf?: string | null
  /** Where it calls from, for the audit log, if that is no address: `cli`. */
  readonly from?: string
}

/** The key that a caller's limits go by: sessions are under those of the key that opened them, or each would be a share more. */
export function ownerOf({ id, sessionOf }: Pick<Caller, 'id' | 'sessionOf'>): string {
  return sessionOf ?? id
}
