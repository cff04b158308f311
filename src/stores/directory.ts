import { makeOverview } from '../core/overview.ts'
import type { Overview, Rollup } from '../core/overview.ts'
import type { Directory } from '../core/ports.ts'
import { minute } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import { applicationDirectory } from './applications.ts'
import { attemptDirectory } from './attempts.ts'
import type { Database, Row } from './database.ts'
import { deliveryDirectory } from './deliveries.ts'
import { endpointDirectory } from './endpoints.ts'
import { eventTypeDirectory } from './event-types.ts'
import { jobDirectory } from './jobs.ts'
import { keyDirectory } from './keys.ts'
import { fresh, retries } from './lanes.ts'
import { messageDirectory } from './messages.ts'
import { latencyColumns } from './migrations.ts'
import { pageOf } from './page.ts'
import { replyDirectory } from './replies.ts'
import { toAuditEntry, toMinute, toWorker } from './rows.ts'
import type { Vault } from './secrets.ts'
import { sql, table, words } from './sql.ts'

const mostCounted = 100_000

/** The operators' half of a store, over any database. */
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

    overview: ({ now, windowMs }) => overview(database, now, windowMs),
    async audit(page) {
      const rows = await database.query(sql`select id, at, actor, action, target, count, reason
from ${table('audit')}
${pageOf(page, 'descending')}`)
      return rows.map(toAuditEntry)
    },
    async workers() {
      const rows = await database.query(sql`select id, pid, host, started_at from ${table('workers')} order by id`)
      return rows.map(toWorker)
    },
  }
}

async function overview(database: Database, now: Instant, windowMs: number): Promise<Overview> {
  const since = now - windowMs
  const rows = await database.query(sql`select minute, sum(delivered) as delivered, sum(failed) as failed, sum(dead) as dead,
  ${words(latencyColumns.map((column) => `sum(${column}) as ${column}`).join(', '))}
from ${table('endpoint_minutes')}
where minute >= ${since - (since % minute)} and minute <= ${now}
group by minute
order by minute`)
  const [depth] = await database.query(queueDepth)
  const counts = rows.map(toMinute)
  const minutes = counts
    .filter(({ delivered, failed, dead }) => delivered + failed + dead > 0)
    .map(({ minute: start, delivered, failed, dead }) => ({ minute: start, delivered, failed, dead }))
  return makeOverview(now, windowMs, sumOf(counts), toQueueDepth(depth), minutes)
}

const deliveries = table('webhook_deliveries')

/** Counted up to a bound in the lanes' own indexes: a million rows behind one endpoint must not slow the overview down. */
const queueDepth = sql`select
  (select count(*) from (select 1 from ${deliveries} where ${fresh} limit ${mostCounted + 1}) counted) as fresh,
  (select count(*) from (select 1 from ${deliveries} where ${retries} limit ${mostCounted + 1}) counted) as retries,
  (select coalesce(next_retry_at, 0)
   from ${deliveries}
   where status in ('pending', 'failed') and status = 'pending'
   order by next_retry_at nulls first
   limit 1) as oldest_pending,
  (select coalesce(next_retry_at, 0)
   from ${deliveries}
   where status in ('pending', 'failed') and status = 'failed'
   order by next_retry_at nulls first
   limit 1) as oldest_failed`

function toQueueDepth(row: Row | undefined): Overview['queue'] {
  const counted = [Number(row?.['fresh'] ?? 0), Number(row?.['retries'] ?? 0)] as const
  const oldest = [row?.['oldest_pending'], row?.['oldest_failed']].filter((at) => at !== null && at !== undefined).map(Number)
  return {
    fresh: Math.min(counted[0], mostCounted),
    retries: Math.min(counted[1], mostCounted),
    atLeast: Math.max(...counted) > mostCounted,
    oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
  }
}

function sumOf(counts: readonly Rollup[]): Rollup {
  return {
    delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    dead: counts.reduce((sum, { dead }) => sum + dead, 0),
    latencies: latencyColumns.map((_, bucket) => counts.reduce((sum, { latencies }) => sum + (latencies[bucket] ?? 0), 0)),
  }
}
