import type { Lane } from '../../../core/delivery/delivery.ts'
import type { Queue } from '../../../core/ports/queue.ts'
import { laneTexts } from '../../shared/sql/lanes.ts'
import { toDueEndpoint } from '../../shared/rows/delivery-rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'

/** Walks from endpoint to endpoint through the lane's index: the cost depends on the number of endpoints, not of rows. */
export function walker(database: PostgresDatabase, prepare: boolean): Queue['dueEndpoints'] {
  const statements = {
    fresh: new Prepared(walkText(database.dialect, 'fresh'), prepare),
    retries: new Prepared(walkText(database.dialect, 'retries'), prepare),
    suspects: new Prepared(walkText(database.dialect, 'suspects'), prepare),
  }
  return async ({ lane, after, limit, dueFrom = 0 }) =>
    (await database.ask(statements[lane], [after, limit, dueFrom])).map(toDueEndpoint)
}

/**
 * Endpoint and time come from one index entry, so entries left behind by finished deliveries under an old snapshot are read only once.
 * Entries due before `dueFrom` are skipped within the index, without reading their rows.
 */
export function walkText({ table }: Dialect, lane: Lane): string {
  const firstAfter = (endpoint: string): string => `select d.webhook_id, coalesce(d.next_retry_at, 0) as due_at
    from ${table('webhook_deliveries')} d
    where ${laneTexts[lane]}
      and d.webhook_id > ${endpoint}
      and coalesce(d.next_retry_at, 0) >= $3::bigint
    order by d.webhook_id, coalesce(d.next_retry_at, 0), d.id
    limit 1`
  return `with recursive walk (webhook_id, due_at, place) as (
  select first.*, 1
  from (
    ${firstAfter('$1')}
  ) first
  union all
  select next.*, walk.place + 1
  from walk
  cross join lateral (
    ${firstAfter('walk.webhook_id')}
  ) next
  where walk.place < $2::integer
)
select webhook_id, due_at
from walk
order by webhook_id`
}
