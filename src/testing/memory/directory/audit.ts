import { isId } from '../../../core/ids.ts'
import type { AuditEntry, AuditFilter } from '../../../core/ports/audit.ts'
import type { Directory } from '../../../core/ports/directory.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'
import { inOrder } from './applications.ts'

/** Who did what. */
export function auditDirectory(state: State): Pick<Directory, 'note' | 'countNote' | 'audit'> {
  return {
    note: async (noted) => note(state, noted),
    countNote: async (id, more) => {
      const place = state.audit.findIndex((entry) => entry.id === id)
      const entry = state.audit[place]
      if (entry !== undefined) state.audit[place] = { ...entry, count: entry.count + more }
    },
    audit: async (filter, page) =>
      inOrder(
        state.audit.filter((entry) => isAudited(entry, filter)),
        page,
        'descending',
      ),
  }
}

function isAudited(entry: AuditEntry, { actor, since, until, ...exact }: AuditFilter): boolean {
  const name = actor !== undefined && isId('key', actor) ? entry.actorId : entry.actor
  const isExact = Object.entries(exact).every(
    ([field, value]) => value === undefined || entry[field as keyof typeof exact] === value,
  )
  return isExact && name === (actor ?? name) && entry.at >= (since ?? 0) && entry.at < (until ?? Infinity)
}
