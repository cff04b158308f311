import type { SeenWorker, Sighting, Worker } from '../../../core/ports/worker.ts'
import type { TurnRequest } from '../../../core/ports/queue.ts'
import type { Executor } from '../sql/database.ts'
import { noted } from '../alarms.ts'
import { refuseNewer } from '../schema/migrate.ts'
import { fromWorker, toSeenWorker } from '../rows/rows.ts'
import { insertInto, sql, table } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

const workers = table('workers')
const mostWaits = 100

/**
 * Records a worker's heartbeat, removes dead workers, and returns the remaining ones. A worker that was removed too soon is added again.
 */
export async function beat(
  tx: Executor,
  worker: Worker,
  { now, goneBefore, sharesAmong, waits }: Sighting,
): Promise<SeenWorker[]> {
  await refuseNewer(tx)
  const lost = await tx.run(sql`delete from ${workers} where seen_at < ${goneBefore} and id <> ${worker.id}`)
  // In the same transaction: of many workers, only the one that removes it reports it.
  if (lost > 0) await tx.run(noted({ signal: 'worker-lost', count: lost, now }))
  const row = {
    ...fromWorker(worker, now),
    shares_among: sharesAmong,
    waits: JSON.stringify(waits.slice(0, mostWaits)),
  }
  await tx.run(sql`${insertInto('workers', row)}
on conflict (id) do update
set seen_at = excluded.seen_at, shares_among = excluded.shares_among, waits = excluded.waits`)
  return livingWorkers(tx)
}

export async function livingWorkers(from: Pick<Executor, 'query'>): Promise<SeenWorker[]> {
  return (
    await from.query(sql`select id, pid, host, started_at, seen_at, shares_among, waits from ${workers} order by id`)
  ).map(toSeenWorker)
}

/** Changes one row if the turn is free, expired or already the owner's; none if another owner has it. */
export function takeTurn({ name, owner, now, leaseMs }: TurnRequest): Sql {
  return sql`insert into ${table('leases')} as held (name, owner, until)
values (${name}, ${owner}, ${now + leaseMs})
on conflict (name) do update
set owner = excluded.owner, until = excluded.until
where held.owner = excluded.owner or held.until <= ${now}`
}
