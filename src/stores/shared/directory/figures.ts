import type { EndpointDirectory } from '../../../core/ports/directory/endpoints.ts'
import type { EndpointFigures, HourCounts } from '../../../core/ports/figures.ts'
import type { QueueDepth } from '../../../core/ports/overview.ts'
import { hour } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { provisionalText } from './attempts.ts'
import type { Database } from '../sql/database.ts'
import {
  toAttemptCount,
  toFigures,
  toHealthCounts,
  toHour,
  toLastFailure,
  toNextRetry,
  toQueueDepth,
} from '../rows/figure-rows.ts'
import { latencyColumns } from '../schema/latency-columns.ts'
import { fresh, retries, suspects } from '../sql/lanes.ts'
import { toId, toMinute } from '../rows/rows.ts'
import { all, listOf, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const deliveries = table('webhook_deliveries')
const attempts = table('attempts')
const endpoints = table('endpoints')
const minutes = table('endpoint_minutes')
const provisional = raw(provisionalText)
const mostBacklog = 10_000
const mostQueued = 100_000

type FigureMethods =
  | 'endpointFigures'
  | 'endpointHealthCounts'
  | 'failuresOf'
  | 'lastFailureOf'
  | 'nextRetryOf'
  | 'endpointBuckets'

/** Statistics about endpoints. */
export function figureDirectory(database: Database): Pick<EndpointDirectory, FigureMethods> {
  return {
    endpointFigures: (endpointIds, since) => figuresOf(database, endpointIds, since),
    endpointHealthCounts: async (now) => toHealthCounts(await database.query(healthCounts(now))),
    failuresOf: async (endpointId, most) => (await database.query(failuresOf(endpointId, most))).map(toAttemptCount),
    async lastFailureOf(endpointId, most) {
      const [row] = await database.query(lastFailureOf(endpointId, most))
      return row === undefined ? null : toLastFailure(row)
    },
    async nextRetryOf(endpointId) {
      const [row] = await database.query(nextRetryOf(endpointId))
      return row === undefined ? null : toNextRetry(row)
    },
    endpointBuckets: async (endpointId, since, bucketMs) =>
      (await database.query(bucketsOf(endpointId, since, bucketMs))).map(toMinute),
  }
}

async function figuresOf(
  database: Database,
  endpointIds: readonly string[],
  since: Instant,
): Promise<EndpointFigures[]> {
  if (endpointIds.length === 0) return []
  const hours = new Map<string, HourCounts[]>()
  for (const { endpointId, ...counts } of (await database.query(hoursOf(endpointIds, since))).map(toHour)) {
    const own = hours.get(endpointId)
    if (own === undefined) hours.set(endpointId, [counts])
    else own.push(counts)
  }
  const rows = new Map((await database.query(backlogsOf(endpointIds))).map((row) => [toId(row), row]))
  return endpointIds.flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [toFigures(row, hours.get(id) ?? [], mostBacklog)]
  })
}

export function hoursOf(endpointIds: readonly string[], since: Instant): Sql {
  const start = sql`minute - minute % ${raw(String(hour))}`
  return sql`select endpoint_id, ${start} as hour, sum(delivered) as delivered, sum(failed) as failed, sum(dead) as dead
from ${minutes}
where endpoint_id in ${listOf(endpointIds)} and minute >= ${since}
group by endpoint_id, ${start}
order by endpoint_id, ${start}`
}

/** From each endpoint's own range of the indexes, up to a bound. */
export function backlogsOf(endpointIds: readonly string[]): Sql {
  return sql`select e.id,
  (select count(*) from (select 1 from ${deliveries} where ${fresh} and webhook_id = e.id limit ${mostBacklog + 1}) counted) as fresh,
  (select count(*) from (select 1 from ${deliveries} where ${retries} and webhook_id = e.id limit ${mostBacklog + 1}) counted) as retries,
  (select count(*) from (select 1 from ${deliveries} where ${suspects} and webhook_id = e.id limit ${mostBacklog + 1}) counted) as suspects,
  (select m.minute from ${minutes} m where m.endpoint_id = e.id and m.delivered > 0 order by m.minute desc limit 1) as last_success_at
from (select id from ${endpoints} where id in ${listOf(endpointIds)}) e`
}

/** Endpoints that only fail, from an index that contains only those; completes a statement that selects endpoints. */
export function failingFirst(applicationId: string | undefined, limit: number): Sql {
  return sql`join (select endpoint_id, failed_attempts from ${table('endpoint_health')} where failing_since is not null) failing on failing.endpoint_id = id
where status <> 'deleted'${applicationId === undefined ? nothing : sql` and application_id = ${applicationId}`}
order by failing.failed_attempts desc, id
limit ${limit}`
}

/** Excludes deleted endpoints. Endpoints without problems have no health row. */
export function healthCounts(now: Instant): Sql {
  return sql`select health, count(*) as count
from (
  select case
    when e.status <> 'active' then e.status
    when h.held_until > ${now} then 'held'
    when h.failing_since is not null then 'failing'
    else 'active' end as health
  from ${endpoints} e
  left join ${table('endpoint_health')} h on h.endpoint_id = e.id
  where e.status <> 'deleted'
  limit ${mostQueued}) counted
group by health`
}

/** For the newest deliveries. They are walked first, whatever the planner estimates: there may be millions of attempts. */
export function failuresOf(endpointId: string, most: number): Sql {
  return sql`with walked as materialized (
  select id from ${deliveries}
  where webhook_id = ${endpointId}
  order by id desc
  limit ${most}
), made as materialized (
  select a.outcome, a.status_code
  from walked w
  cross join ${attempts} a
  where a.delivery_id = w.id
  order by w.id desc, a.epoch desc
  limit ${most}
)
select outcome, status_code, count(*) as count
from made
where (status_code is null or status_code < 200 or status_code > 299) and outcome not in ${provisional}
group by outcome, status_code
order by count desc, outcome, status_code`
}

/** The most recent failure among the attempts that `failuresOf` reads. */
export function lastFailureOf(endpointId: string, most: number): Sql {
  return sql`with walked as materialized (
  select id, event_type, error_detail from ${deliveries}
  where webhook_id = ${endpointId}
  order by id desc
  limit ${most}
), made as materialized (
  select a.delivery_id, a.started_at, a.took_ms, a.outcome, a.status_code, w.event_type, w.error_detail
  from walked w
  cross join ${attempts} a
  where a.delivery_id = w.id
  order by w.id desc, a.epoch desc
  limit ${most}
)
select delivery_id, started_at, took_ms, outcome, status_code, event_type, error_detail
from made
where (status_code is null or status_code < 200 or status_code > 299) and outcome not in ${provisional}
order by started_at desc, delivery_id desc
limit 1`
}

export function nextRetryOf(endpointId: string): Sql {
  return sql`select id, next_retry_at
from ${deliveries}
where webhook_id = ${endpointId} and ${retries} and next_retry_at is not null
order by coalesce(next_retry_at, 0), id
limit 1`
}

export function bucketsOf(endpointId: string, since: Instant, bucketMs: number): Sql {
  const start = sql`minute - minute % ${raw(String(bucketMs))}`
  return sql`select ${start} as minute, sum(delivered) as delivered, sum(failed) as failed, sum(dead) as dead,
  ${raw(latencyColumns.map((column) => `sum(${column}) as ${column}`).join(', '))}
from ${minutes}
where endpoint_id = ${endpointId} and minute >= ${since}
group by ${start}
order by ${start}`
}

export async function queueDepth(
  database: Database,
  now: Instant,
  applicationId: string | undefined,
): Promise<QueueDepth> {
  const [row] = await database.query(depthStatement(now, applicationId))
  return toQueueDepth(row ?? {}, mostQueued)
}

/**
 * Counts up to a bound, endpoint by endpoint, in the lanes' indexes: a million rows of one endpoint on hold are not read for the others.
 */
export function depthStatement(now: Instant, applicationId: string | undefined): Sql {
  const isHeld = sql`exists (select 1 from ${table('endpoint_health')} h where h.endpoint_id = e.id and h.held_until > ${now})`
  const of = applicationId === undefined ? [] : [sql`e.application_id = ${applicationId}`]
  const open = sql`select e.id as endpoint_id from ${endpoints} e where ${all([...of, sql`e.status = 'active'`, sql`not ${isHeld}`])}`
  const blocked = sql`select e.id as endpoint_id from ${endpoints} e where ${all([...of, sql`(e.status in ('paused', 'disabled') or (e.status = 'active' and ${isHeld}))`])}`
  const dead =
    applicationId === undefined
      ? sql`status = 'dead'`
      : sql`status = 'dead' and webhook_id in (select e.id from ${endpoints} e where e.application_id = ${applicationId})`
  return sql`select
  ${waiting(open, fresh)} as fresh,
  ${waiting(open, retries)} as retries,
  ${waiting(open, suspects)} as suspects,
  ${waiting(blocked, fresh)} as held_fresh,
  ${waiting(blocked, retries)} as held_retries,
  ${waiting(blocked, suspects)} as held_suspects,
  (select count(*) from (select 1 from ${deliveries} where ${dead} limit ${mostQueued + 1}) counted) as dead,
  ${oldest(open, fresh)} as oldest_fresh,
  ${oldest(open, retries)} as oldest_retry,
  ${oldest(open, suspects)} as oldest_suspect`
}

function waiting(at: Sql, lane: Sql): Sql {
  return sql`(select count(*) from (select 1 from (${at}) a cross join ${deliveries} where webhook_id = a.endpoint_id and ${lane} limit ${mostQueued + 1}) counted)`
}

/**
 * The first row of each endpoint, one of which is the first overall. Deliveries on hold are not late: they wait for a person or for their
 * endpoint.
 */
function oldest(at: Sql, lane: Sql): Sql {
  return sql`(select min(first_due.due_at) from (
    select (
      select coalesce(next_retry_at, 0) from ${deliveries}
      where webhook_id = a.endpoint_id and ${lane}
      order by coalesce(next_retry_at, 0), id
      limit 1) as due_at
    from (${at}) a) first_due)`
}
