import type { Actor } from '../core/ports/audit.ts'

/** Who did it, and why: kept in the audit log. */
export interface By {
  readonly by?: string
  readonly reason?: string
}

/** Who did it, as the audit log keeps it. */
export function actor({ by = 'library', reason }: By): Actor {
  return { name: by, reason }
}
