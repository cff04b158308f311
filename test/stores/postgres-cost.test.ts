import { afterAll, beforeAll, expect, test } from 'vitest'
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
