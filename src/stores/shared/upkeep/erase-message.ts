import type { Instant } from '../../../core/time.ts'
import type { Executor } from '../sql/database.ts'
import { listOf, sql, table } from '../sql/sql.ts'

const deliveries = table('webhook_deliveries')

/** Permanently erases bodies and the responses to them, because a response may echo the request. The rows stay. */
export async function eraseBodies(tx: Executor, messageIds: readonly string[], now: Instant): Promise<number> {
  const ids = listOf(messageIds)
  const erased = await tx.run(sql`update ${table('messages')}
set body = ${new Uint8Array()}, erased_at = coalesce(erased_at, ${now})
where id in ${ids}`)
  // Without a status there was no response: the text is the error, and stays. Response headers may echo the body as well.
  await tx.run(sql`update ${table('attempts')}
set excerpt = null, diagnostics = null
where delivery_id in (select d.id from ${deliveries} d where d.message_id in ${ids})
  and status_code is not null and (excerpt is not null or diagnostics is not null)`)
  // `HTTP 500: …` ends with the response body.
  await tx.run(sql`update ${deliveries}
set error_detail = substr(error_detail, 1, 8), lease_epoch = lease_epoch + 1
where message_id in ${ids} and error_detail like 'HTTP ___: %'`)
  await tx.run(sql`delete from ${table('payload_expiries')} where message_id in ${ids}`)
  return erased
}
