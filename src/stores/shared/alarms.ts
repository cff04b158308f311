import type { Alarm } from '../../core/alarms/alarm.ts'
import type { AlarmReadings } from '../../core/alarms/findings.ts'
import { windowMs } from '../../core/alarms/signals.ts'
import type { AlarmDirectory, AlarmNote, AlarmReadingsRequest } from '../../core/ports/alarms.ts'
import { lanes } from '../../core/delivery/delivery.ts'
import type { Lane } from '../../core/delivery/delivery.ts'
import { minute } from '../../core/time.ts'
import { fromAlarm, toAlarm, toDisabledEndpoint, toDueRows, toEnded, toFailingEndpoint } from './rows/alarm-rows.ts'
import type { Database, Executor } from './sql/database.ts'
import { laneText } from './sql/lanes.ts'
import { assignments, insertInto, listOf, nothing, sql, table } from './sql/sql.ts'
import type { Sql } from './sql/sql.ts'

const alarms = table('alarms')
const deliveries = table('webhook_deliveries')
const endpoints = table('endpoints')
const health = table('endpoint_health')

/** Alarms and their readings, which come from rollups and partial indexes, never from the history. */
export function alarmDirectory(database: Database): AlarmDirectory {
  return {
    async alarms() {
      const rows = await database.query(sql`select id, signal, subject, level, value, threshold, raised_at, resolved_at,
  notified_at, owed, owed_at, noted, noted_at, version
from ${alarms}
order by id`)
      return rows.map(toAlarm)
    },
    saveAlarms: (given) =>
      database.transaction(async (tx) => {
        const saved: string[] = []
        for (const alarm of given) if (await save(tx, alarm)) saved.push(alarm.id)
        return saved
      }),
    forgetAlarms: (given) =>
      database.transaction(async (tx) => {
        for (const { id, version } of given)
          await tx.run(sql`delete from ${alarms} where id = ${id} and version = ${version}`)
      }),
    noteAlarm: (note) => database.transaction(async (tx) => void (await tx.run(noted(note)))),
    alarmReadings: (request) => readings(database, request),
  }
}

/**
 * A single statement, so that it fits into the transaction that detects the signal. It leaves the version alone because it decides nothing.
 */
export function noted({ signal, count, now }: AlarmNote): Sql {
  return sql`insert into ${alarms} as kept (id, signal, noted, noted_at)
values (${signal}, ${signal}, ${count}, ${now})
on conflict (id) do update
set noted = case when kept.noted_at > ${now - windowMs} then kept.noted + excluded.noted else excluded.noted end,
  noted_at = excluded.noted_at`
}

async function save(tx: Executor, alarm: Alarm): Promise<boolean> {
  const row = fromAlarm({ ...alarm, version: alarm.version + 1 })
  const count =
    alarm.version === 0
      ? await tx.run(sql`${insertInto('alarms', row)} on conflict (id) do nothing`)
      : await tx.run(
          sql`update ${alarms} set ${assignments(row)} where id = ${alarm.id} and version = ${alarm.version}`,
        )
  return count > 0
}

async function readings(database: Database, request: AlarmReadingsRequest): Promise<AlarmReadings> {
  const [ended] = (await database.query(endedStatement(request))).map(toEnded)
  const due = await Promise.all(
    lanes.map(async (lane) => (await database.query(dueStatement(lane, request))).map(toDueRows)),
  )
  const oldest = due.flat().flatMap(({ oldestDueAt }) => oldestDueAt ?? [])
  return {
    delivered: ended?.delivered ?? 0,
    dead: ended?.dead ?? 0,
    oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
    dueRows: Math.min(
      due.flat().reduce((sum, { dueRows }) => sum + dueRows, 0),
      request.mostDue + 1,
    ),
    failing: (await database.query(failingStatement(request))).map(toFailingEndpoint),
    disabled: (await database.query(disabledStatement(request))).map(toDisabledEndpoint),
  }
}

export function endedStatement({ now, windowMs: length, except }: AlarmReadingsRequest): Sql {
  const since = now - length
  const others =
    except === null
      ? nothing
      : sql` and endpoint_id not in (select e.id from ${endpoints} e where e.application_id = ${except})`
  return sql`select coalesce(sum(delivered), 0) as delivered, coalesce(sum(dead), 0) as dead
from ${table('endpoint_minutes')}
where minute >= ${since - (since % minute)} and minute <= ${now}${others}`
}

/**
 * Walks from endpoint to endpoint through the lane's index, like the engine's own walk: the cost depends on the number of endpoints with
 * open rows. Deliveries on hold, or released step by step after a hold, are not late: they wait for their endpoint.
 */
export function dueStatement(lane: Lane, { now, mostDue, except }: AlarmReadingsRequest): Sql {
  const inLane = laneText(lane)
  const due = sql`coalesce(next_retry_at, 0)`
  return sql`with recursive walk (webhook_id) as (
  select (select min(webhook_id) from ${deliveries} where ${inLane})
  union all
  select (select min(d.webhook_id) from ${deliveries} d where ${inLane} and d.webhook_id > walk.webhook_id)
  from walk
  where walk.webhook_id is not null
), free as materialized (
  select w.webhook_id as endpoint_id
  from walk w
  join ${endpoints} e on e.id = w.webhook_id
  where e.status = 'active'${except === null ? nothing : sql` and e.application_id <> ${except}`}
    and not exists (
      select 1 from ${health} h
      where h.endpoint_id = e.id and (h.held_until > ${now} or h.holds > 0 or h.ramp_from is not null))
)
select
  (select min(first_due.due_at) from (
    select (
      select ${due} from ${deliveries}
      where webhook_id = f.endpoint_id and ${inLane}
      order by ${due}, id
      limit 1) as due_at
    from free f) first_due) as oldest_due_at,
  (select count(*) from (
    select 1 from free f cross join ${deliveries}
    where webhook_id = f.endpoint_id and ${inLane} and ${due} <= ${now}
    limit ${mostDue + 1}) counted) as due_rows`
}

export function failingStatement(request: AlarmReadingsRequest): Sql {
  const { failingBefore, leastFailedAttempts, mostSubjects, except } = request
  return sql`select h.endpoint_id, h.failing_since
from ${health} h
join ${endpoints} e on e.id = h.endpoint_id
where h.failing_since is not null and h.failing_since <= ${failingBefore} and h.failed_attempts >= ${leastFailedAttempts}
  and e.status = 'active'${except === null ? nothing : sql` and e.application_id <> ${except}`}
order by h.failing_since, h.endpoint_id
limit ${mostSubjects}`
}

export function disabledStatement(request: AlarmReadingsRequest): Sql {
  const { disabledSince, disabledBecause, mostSubjects, except } = request
  return sql`select id as endpoint_id, status_since
from ${endpoints}
where status = 'disabled' and status_since >= ${disabledSince} and status_reason in ${listOf(disabledBecause)}${
    except === null ? nothing : sql` and application_id <> ${except}`
  }
order by status_since desc, id
limit ${mostSubjects}`
}
