import type { Instant } from '../../core/time.ts'
import type { Executor } from '../shared/sql/database.ts'
import { toTime } from '../shared/rows/rows.ts'
import { sql } from '../shared/sql/sql.ts'
import { closedError } from '../shared/lifetime.ts'

/** The server's clock, which all workers share; not the transaction's timestamp, which stands still. */
export async function timeOf(from: Pick<Executor, 'query'>): Promise<Instant> {
  const [row] = await from.query(sql`select floor(extract(epoch from clock_timestamp()) * 1000) as time`)
  if (row === undefined) throw closedError()
  return toTime(row)
}
