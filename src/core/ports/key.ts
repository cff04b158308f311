import type { Instant } from '../time.ts'

/** What a key lets its holder do: read, or read and write. */
export type Access = 'read' | 'write'

/** An API key as it is kept: never the key itself, only its hash. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** The application it is for; null for all of them, and the server itself. */
  readonly applicationId: string | null
  readonly access: Access
  /** SHA-256 of the key, in hex. */
  readonly hash: string
  /** The first characters, by which a person recognises it. */
  readonly hint: string
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** Where it was created from, as the audit log has it; null of one that is older than this field. */
  readonly createdFrom: string | null
  /** The key in whose place it stands, if it is the session of a browser; it ends with that one. */
  readonly sessionOf: string | null
  /** What a customer's link to the portal allows; null for a key of your own. */
  readonly portal: PortalAccess | null
}

/** A customer sees and changes its own endpoints, and nothing that its provider decides. */
export interface PortalAccess {
  /** Event types behind other flags than these are hidden. */
  readonly featureFlags: readonly string[]
}

export function isLive({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: Instant): boolean {
  return (expiresAt === null || expiresAt > now) && (revokedAt === null || revokedAt > now)
}

/** True if a key may do what is asked: an application's key only within that application, a reader's only read. */
export function allows(
  key: Pick<ApiKey, 'applicationId' | 'access'>,
  wanted: { readonly applicationId: string | null; readonly access: Access },
): boolean {
  const isInside = key.applicationId === null || key.applicationId === wanted.applicationId
  return isInside && (key.access === 'write' || wanted.access === 'read')
}
