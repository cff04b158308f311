import type { ReplyDirectory, TakenReply } from '../../../core/ports/directory/replies.ts'
import type { Database } from '../sql/database.ts'
import { toTakenReply } from '../rows/directory-rows.ts'
import { sql, table } from '../sql/sql.ts'

const replies = table('replies')

/** Responses given under an idempotency key. A row without a status is still in progress. */
export function replyDirectory(database: Database): ReplyDirectory {
  return {
    takeReply: ({ key, requestHash, applicationId = null, now, until }) =>
      database.transaction(async (tx): Promise<TakenReply> => {
        // A single statement decides who gets the key: of two concurrent requests, the second sees the first one's row.
        const taken =
          await tx.run(sql`insert into ${replies} as kept (key, request_hash, application_id, status, body, expires_at)
values (${key}, ${requestHash}, ${applicationId}, null, null, ${until})
on conflict (key) do update
set request_hash = excluded.request_hash, application_id = excluded.application_id, status = null, body = null, expires_at = excluded.expires_at
where kept.expires_at <= ${now}`)
        if (taken > 0) return { kind: 'taken' }
        const [row] = await tx.query(sql`select request_hash, status, body from ${replies} where key = ${key}`)
        // The key was released a moment ago: the next try will get it.
        return row === undefined ? { kind: 'busy' } : toTakenReply(row, requestHash)
      }),
    saveReply: ({ key, status, body, applicationId = null, expiresAt }) =>
      database.transaction(async (tx) => {
        await tx.run(sql`update ${replies}
set status = ${status}, body = ${body}, application_id = coalesce(application_id, ${applicationId}), expires_at = ${expiresAt}
where key = ${key} and status is null`)
      }),
    // A stored response stays: a client has already received it.
    dropReply: (key) =>
      database.transaction(async (tx) => {
        await tx.run(sql`delete from ${replies} where key = ${key} and status is null`)
      }),
  }
}
