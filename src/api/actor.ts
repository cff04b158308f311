import type { Actor } from '../core/ports/audit.ts'

/** Who did it, and why: kept in the audit log. */
export interface By {
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** Of the key that it was done with. */
  readonly keyId?: string | undefined
  /** Where it came from, such as an IP address; `library` unless given. */
  readonly from?: string | undefined
}

const mostCharacters = 256

/** Who did it, as the audit log keeps it. */
export function actor({ by = 'library', reason, keyId, from = 'library' }: By): Actor {
  return { name: by.slice(0, mostCharacters), reason, keyId, from }
}
