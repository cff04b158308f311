import type { Sighting, Worker } from '../core/ports.ts'
import type { TurnRequest } from '../core/queue.ts'
import type { Executor } from './database.ts'
import { refuseNewer } from './migrate.ts'
import { fromWorker } from './rows.ts'
import { insertInto, sql, table } from './sql.ts'
import type { Sql } from './sql.ts'

/** Notes that a worker lives, forgets those that do not, and counts who is left. One that was forgotten too soon is noted anew. */
export async function beat(tx: Executor, worker: Worker, { now, goneBefore }: Sighting): Promise<number> {
  await refuseNewer(tx)
  await tx.run(sql`delete from ${table('workers')} where seen_at < ${goneBefore} and id <> ${worker.id}`)
  await tx.run(sql`${insertInto('workers', fromWorker(worker, now))}
on conflict (id) do update
set seen_at = excluded.seen_at`)
  const [row] = await tx.query(sql`select count(*) as count from ${table('workers')}`)
  return Number(row?.['count'])
}

/** Changes one row if the turn is free, run out or the owner's own; none if it is another's. */
export function takeTurn({ name, owner, now, leaseMs }: TurnRequest): Sql {
  return sql`insert into ${table('leases')} as held (name, owner, until)
values (${name}, ${owner}, ${now + leaseMs})
on conflict (name) do update
set owner = excluded.owner, until = excluded.until
where held.owner = excluded.owner or held.until <= ${now}`
}
