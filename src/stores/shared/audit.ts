import { changedFields, hasEffect } from '../../core/ports/audited-fields.ts'
import type { Actor, AuditEntry, AuditFilter } from '../../core/ports/audit.ts'
import type { Page } from '../../core/ports/directory/page.ts'
import { firstIdAt, isId, makeId } from '../../core/ids.ts'
import { fromAuditEntry } from './rows/directory-rows.ts'
import type { Executor } from './sql/database.ts'
import { pageOf } from './sql/page.ts'
import { insertInto, sql, table } from './sql/sql.ts'
import type { Sql } from './sql/sql.ts'
import { strongRandom } from './strong-random.ts'

/** One audit entry: who did what to which target, and what changed. */
export interface Audited extends Pick<AuditEntry, 'action' | 'target' | 'at'> {
  readonly by: Actor
  readonly count?: number
  readonly applicationId?: string | null | undefined
  /** The state before; null if the target did not exist. Without both states there is nothing to compare. */
  readonly before?: object | null
  readonly after?: object | null
}

/** Writes the audit entry in the same transaction as the action. An action that changed nothing gets no entry. */
export async function record(tx: Pick<Executor, 'run'>, audited: Audited): Promise<void> {
  const entry = entryOf(audited)
  if (hasEffect(entry)) await tx.run(insertInto('audit', fromAuditEntry(entry)))
}

export function entryOf({ at, by, action, target, ...about }: Audited): AuditEntry {
  const { count = 1, applicationId = null, before = null, after = null } = about
  return {
    id: makeId('aud', at, strongRandom),
    at,
    actor: by.name,
    actorId: by.keyId ?? null,
    from: by.from ?? null,
    action,
    target,
    applicationId,
    count,
    reason: by.reason ?? null,
    ...changedFields(before, after),
  }
}

export function auditEntries(filter: AuditFilter, page: Page): Sql {
  const { actor, action, target, applicationId, since, until } = filter
  const conditions: Sql[] = []
  if (actor !== undefined) conditions.push(isId('key', actor) ? sql`actor_id = ${actor}` : sql`actor = ${actor}`)
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  // Compares the prefix first: only the prefix is indexed.
  if (target !== undefined)
    conditions.push(sql`substr(target, 1, 64) = ${target.slice(0, 64)}`, sql`target = ${target}`)
  if (applicationId !== undefined) conditions.push(sql`application_id = ${applicationId}`)
  // Ids start with their creation time.
  if (since !== undefined) conditions.push(sql`id >= ${firstIdAt('aud', since)}`)
  if (until !== undefined) conditions.push(sql`id < ${firstIdAt('aud', until)}`)
  return sql`select * from ${table('audit')} ${pageOf(page, 'descending', conditions)}`
}
