import { afterAll, beforeAll, expect, test } from 'vitest'
import { renewText } from '../../src/stores/postgres/leases.ts'
import { postgresDialect } from '../../src/stores/postgres/database.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { freshSchema } from '../postgres.ts'

const schema = freshSchema()
const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
const rows = 20_000
const held = 500

beforeAll(async () => {
  await store.open()
  await schema.query(`insert into webhook_deliveries (id, webhook_id, message_id)
    select 'dlv_' || n, 'ep_1', 'msg_1' from generate_series(1, ${rows}) as n`)
})
afterAll(async () => {
  await store.close()
  await schema.drop()
})

test('a renewal compares nothing twice, though statistics of a quiet hour say that nobody has a lease', async () => {
  await schema.query('analyze webhook_deliveries')
  await schema.query(`update webhook_deliveries set lease_owner = 'anna', lease_epoch = 1 where substr(id, 5)::integer <= ${held}`)
  const ids = Array.from({ length: held }, (_, index) => `dlv_${index + 1}`)
  const [answer] = await schema.query(`explain (analyze, format json) ${renewText(postgresDialect(schema.schema))}`, ['anna', 1, ids, ids.map(() => 1)])
  const plan = JSON.stringify(answer)
  expect(plan).toContain(`"Actual Rows":${held}`)
  expect(plan).not.toMatch(/"Rows Removed by Join Filter":[1-9]/)
})
