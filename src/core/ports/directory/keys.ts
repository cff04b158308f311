import type { Instant } from '../../time.ts'
import type { AuditNote } from '../audit.ts'
import type { ApiKey } from '../key.ts'
import type { Page } from './page.ts'

export interface KeyDirectory {
  createKey(key: ApiKey, audited?: AuditNote): Promise<ApiKey>
  key(id: string): Promise<ApiKey | null>
  keyByHash(hash: string): Promise<ApiKey | null>
  /** Newest first, without sessions, and without those that expired or were revoked before `livingAt`. */
  listKeys(filter: { applicationId?: string | undefined; livingAt: Instant }, page: Page): Promise<ApiKey[]>
  /** Sessions that are valid at a time, together with their key; newest first, of one key or of all. */
  listSessions(filter: SessionFilter, page: Page): Promise<ApiKey[]>
  /** Ends all valid sessions of a key at once; returns them. */
  endSessions(of: string, now: Instant, audited?: AuditNote): Promise<ApiKey[]>
  /** Null if there is none; one that was already revoked stays unchanged. */
  revokeKey(id: string, now: Instant, audited?: AuditNote): Promise<ApiKey | null>
}

interface SessionFilter {
  /** The key that they were created with. */
  readonly of?: string | undefined
  readonly livingAt: Instant
}
