import type { Actor } from '../core/ports/audit.ts'

/** Who did it, and why: stored in the audit log. */
export interface By {
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** The name or id of the key that was used. */
  readonly keyId?: string | undefined
  /** Where it came from, such as an IP address; `library` unless given. */
  readonly from?: string | undefined
}

const mostCharacters = 256

/** Who did it, as stored in the audit log. */
export function actor({ by = 'library', reason, keyId, from = 'library' }: By): Actor {
  return { name: by.slice(0, mostCharacters), reason, keyId, from }
}
