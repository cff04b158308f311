import type { Sighting, Worker } from '../core/ports.ts'
import type { Executor } from './database.ts'
import { fromWorker } from './rows.ts'
import { insertInto, sql, table } from './sql.ts'

/** Notes that a worker lives, forgets those that do not, and counts who is left. One that was forgotten too soon is noted anew. */
export async function beat(tx: Executor, worker: Worker, { now, goneBefore }: Sighting): Promise<number> {
  await tx.run(sql`delete from ${table('workers')} where seen_at < ${goneBefore} and id <> ${worker.id}`)
  await tx.run(sql`${insertInto('workers', fromWorker(worker, now))}
on conflict (id) do update
set seen_at = excluded.seen_at`)
  const [row] = await tx.query(sql`select count(*) as count from ${table('workers')}`)
  return Number(row?.['count'])
}
