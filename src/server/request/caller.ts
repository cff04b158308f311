import type { ApiKey, PortalAccess } from '../../core/ports/key.ts'

/** The caller: the key, as far as an operation needs to know it. */
export interface Caller extends Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> {
  /** Set for a customer with a link to the portal. */
  readonly portal?: PortalAccess | null
  /** For a browser session, the key it was created with. */
  readonly sessionOf?: string | null
  /** Where the call comes from, for the audit log, if not from an address: `cli`. */
  readonly from?: string
}

/** The key whose limits apply: sessions share those of the key that opened them, or each session would be another share. */
export function ownerOf({ id, sessionOf }: Pick<Caller, 'id' | 'sessionOf'>): string {
  return sessionOf ?? id
}
