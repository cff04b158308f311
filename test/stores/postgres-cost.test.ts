import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SettledAttempt } from '../../src/core/ports/queue.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { freshSchema } from '../postgres.ts'

const schema = freshSchema()
const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })

beforeAll(() => store.open())
afterAll(async () => {
  await store.close()
  await schema.drop()
})

// Each is written for every delivery, unless it is for rows of one kind only. Whoever adds one shows with `npm run bench` what it costs.
test('the tables that every delivery writes to have no more indexes than they did', async () => {
  const rows = await schema.query(`
    select indexname as name, indexdef like '% WHERE %' as partial
    from pg_indexes
    where schemaname = '${schema.schema}' and tablename in ('messages', 'webhook_deliveries', 'attempts', 'endpoint_minutes')
    order by indexname`)
  const names = (partial: boolean): unknown[] =>
    rows.filter((row) => row['partial'] === partial).map(({ name }) => name)
  expect(names(false)).toEqual([
    'attempts_pkey',
    'endpoint_minutes_pkey',
    'messages_pkey',
    'posthorn_endpoint_minutes_of_endpoint',
    'posthorn_messages_of_application',
    'webhook_deliveries_of_endpoint',
    'webhook_deliveries_of_message',
    'webhook_deliveries_pkey',
  ])
  expect(names(true)).toEqual([
    'posthorn_messages_event_id',
    'webhook_deliveries_dead',
    'webhook_deliveries_dead_of_endpoint',
    'webhook_deliveries_failed',
    'webhook_deliveries_fresh',
    'webhook_deliveries_retries',
    'webhook_deliveries_status_next_retry_at',
    'webhook_deliveries_suspects',
  ])
})

// Each index that they create is one; there is room for a few more.
const readsOfMigrations = 20

// Nobody has analysed the table: the server keeps a plan until then, and the first one is made for a few rows.
test('marks soon stop to read the whole table while it grows', async () => {
  const batch = 64
  const ids = (from: number): string[] => Array.from({ length: batch }, (_, index) => `dlv_${from + index}`)
  const markBatch = async (from: number): Promise<void> => {
    await schema.query(`insert into webhook_deliveries (id, webhook_id, message_id, lease_owner, lease_epoch)
      select 'dlv_' || n, 'ep_1', 'msg_1', 'anna', 1 from generate_series(${from}, ${from + batch - 1}) as n`)
    const marked = await store.queue.mark({ owner: 'anna', now: 9, marks: ids(from).map(deliveredOnce) })
    expect(new Set(marked)).toEqual(new Set(['marked']))
  }
  for (let from = 0; from < 8_192; from += batch) await markBatch(from)
  // A connection tells what it has read at the latest when it ends.
  await store.close()
  const [row] = await schema.query(
    `select seq_scan from pg_stat_user_tables where schemaname = '${schema.schema}' and relname = 'webhook_deliveries'`,
  )
  expect(Number(row?.['seq_scan'])).toBeLessThanOrEqual(4_096 / batch + readsOfMigrations)
})

function deliveredOnce(deliveryId: string): SettledAttempt {
  return {
    deliveryId,
    epoch: 1,
    endpointId: 'ep_1',
    mark: { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null },
    attempt: {
      epoch: 1,
      startedAt: 5,
      tookMs: 3,
      outcome: 'answered',
      statusCode: 200,
      responseBody: null,
      url: 'https://a.example',
      diagnostics: null,
    },
  }
}
