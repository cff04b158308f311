import type { Instant } from '../time.ts'

/** What the holder of a key may do: read, or read and write. */
export type Access = 'read' | 'write'

/** An API key as stored: never the key itself, only its hash. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** The application it belongs to; null for access to all of them and to the server itself. */
  readonly applicationId: string | null
  readonly access: Access
  /** SHA-256 of the key, in hex. */
  readonly hash: string
  /** The first characters, by which a person recognises it. */
  readonly hint: string
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** Where it was created from, as in the audit log; null for keys older than this field. */
  readonly createdFrom: string | null
  /** For a browser session, the key it was created with; it ends with that key. */
  readonly sessionOf: string | null
  /** The permissions of a customer's link to the portal; null for your own keys. */
  readonly portal: PortalAccess | null
}

/** A customer sees and changes their own endpoints, and nothing that their provider decides. */
export interface PortalAccess {
  /** Event types with other feature flags than these are hidden. */
  readonly featureFlags: readonly string[]
}

export function isLive({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: Instant): boolean {
  return (expiresAt === null || expiresAt > now) && (revokedAt === null || revokedAt > now)
}

/** True if a key permits the access: an application's key only within that application, a read-only key only reading. */
export function allows(
  key: Pick<ApiKey, 'applicationId' | 'access'>,
  wanted: { readonly applicationId: string | null; readonly access: Access },
): boolean {
  const isInside = key.applicationId === null || key.applicationId === wanted.applicationId
  return isInside && (key.access === 'write' || wanted.access === 'read')
}
