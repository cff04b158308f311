import type { ApiKey, PortalAccess } from '../../core/ports/key.ts'

/** Who calls: the key, as far as an operation needs to know it. */
export interface Caller extends Pick<ApiKey, 'id' | 'name' | 'applicationId' | 'access'> {
  /** Set for a customer that came by a link to the portal. */
  readonly portal?: PortalAccess | null
}
