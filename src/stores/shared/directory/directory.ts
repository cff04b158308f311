import { makeOverview } from '../../../core/ports/overview.ts'
import type { Overview, Rollup } from '../../../core/ports/overview.ts'
import type { Directory } from '../../../core/ports/directory.ts'
import { minute } from '../../../core/time.ts'
import { alarmDirectory } from '../alarms.ts'
import { applicationDirectory } from './applications.ts'
import { attemptDirectory } from './attempts.ts'
import type { Database } from '../sql/database.ts'
import { deliveryDirectory } from './deliveries.ts'
import { endpointDirectory } from './endpoints.ts'
import { eventTypeDirectory } from './event-types.ts'
import { eventDirectory } from './events.ts'
import { queueDepth } from './figures.ts'
import { jobDirectory } from './jobs.ts'
import { keyDirectory } from './keys.ts'
import { messageDirectory } from './messages.ts'
import { latencyColumns } from '../schema/latency-columns.ts'
import { auditEntries, entryOf } from '../audit.ts'
import { replyDirectory } from './replies.ts'
import { fromAuditEntry, toAuditEntry } from '../rows/directory-rows.ts'
import { toMinute } from '../rows/rows.ts'
import type { Vault } from '../secrets.ts'
import { insertInto, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { livingWorkers } from './workers.ts'
import { searchDirectory } from '../search.ts'

/** The operators' half of a store, on any database. */
export function directory(database: Database, vault: Vault): Directory {
  return {
    ...applicationDirectory(database),
    ...endpointDirectory(database, vault),
    ...eventTypeDirectory(database),
    ...messageDirectory(database),
    ...deliveryDirectory(database),
    ...attemptDirectory(database),
    ...jobDirectory(database),
    ...keyDirectory(database),
    ...replyDirectory(database),
    ...eventDirectory(database),
    ...alarmDirectory(database),
    ...searchDirectory(database),

    overview: (request) => overview(database, request),
    audit: async (filter, page) => (await database.query(auditEntries(filter, page))).map(toAuditEntry),
    note: (noted) =>
      database.transaction(async (tx) => {
        const entry = entryOf(noted)
        await tx.run(insertInto('audit', fromAuditEntry(entry)))
        return entry.id
      }),
    countNote: (id, more) =>
      database.transaction(async (tx) => {
        await tx.run(sql`update ${table('audit')} set count = count + ${more} where id = ${id}`)
      }),
    workers: () => livingWorkers(database),
  }
}

async function overview(
  database: Database,
  { now, windowMs, applicationId }: Parameters<Directory['overview']>[0],
): Promise<Overview> {
  const since = now - windowMs
  const rows =
    await database.query(sql`select minute, sum(delivered) as delivered, sum(failed) as failed, sum(dead) as dead,
  ${raw(latencyColumns.map((column) => `sum(${column}) as ${column}`).join(', '))}
from ${table('endpoint_minutes')}
where minute >= ${since - (since % minute)} and minute <= ${now}${applicationId === undefined ? nothing : ofApplication(applicationId)}
group by minute
order by minute`)
  const counts = rows.map(toMinute)
  const busy = counts.filter(({ delivered, failed, dead }) => delivered + failed + dead > 0)
  const queue = await queueDepth(database, now, applicationId)
  return makeOverview({ at: now, windowMs, sum: sumOf(counts), queue, minutes: busy })
}

function ofApplication(applicationId: string): Sql {
  return sql` and endpoint_id in (select e.id from ${table('endpoints')} e where e.application_id = ${applicationId})`
}

function sumOf(counts: readonly Rollup[]): Rollup {
  return {
    delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    dead: counts.reduce((sum, { dead }) => sum + dead, 0),
    latencies: latencyColumns.map((_, bucket) =>
      counts.reduce((sum, { latencies }) => sum + (latencies[bucket] ?? 0), 0),
    ),
  }
}
