import { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lanes } from '../../src/core/delivery/delivery.ts'
import { claimText } from '../../src/stores/postgres/queue/claim.ts'
import { postgresDialect } from '../../src/stores/postgres/database.ts'
import { releaseText, renewText, startText } from '../../src/stores/postgres/queue/leases.ts'
import { walkText } from '../../src/stores/postgres/queue/walk.ts'
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

const dialect = postgresDialect(schema.schema)
const ids = Array.from({ length: held }, (_, index) => `dlv_${index + 1}`)
const ones = ids.map(() => 1)

test.each<[string, string, unknown[]]>([
  ['a renewal', renewText(dialect), ['anna', 1, ids, ones]],
  ['a release', releaseText(dialect), ['anna', ids, ones, ...Array.from({ length: 4 }, () => ids.map(() => null))]],
  ['an attempt that is written ahead', startText(dialect), ['anna', 1, ids, ones, ids.map(() => 'https://a.example')]],
])(
  '%s compares nothing twice, though statistics of a quiet hour say that nobody has a lease',
  async (_, text, values) => {
    await schema.query(`update webhook_deliveries set lease_owner = null, lease_epoch = 0`)
    await schema.query('analyze webhook_deliveries')
    await schema.query(
      `update webhook_deliveries set lease_owner = 'anna', lease_epoch = 1 where substr(id, 5)::integer <= ${held}`,
    )
    const [answer] = await schema.query(`explain (analyze, format json) ${text}`, values)
    const plan = JSON.stringify(answer)
    expect(plan).toContain(`"Actual Rows":${held}`)
    expect(plan).not.toMatch(/"Rows Removed by Join Filter":[1-9]/)
  },
)

test('a claim reads each lane from its own index, and no attempts but those it writes', async () => {
  await schema.query(`insert into attempts (delivery_id, epoch, started_at, took_ms, outcome, url)
    select 'dlv_' || n, 1, 0, 0, 'started', '' from generate_series(1, ${rows}) as n on conflict do nothing`)
  await schema.query('analyze webhook_deliveries')
  await schema.query('analyze attempts')
  const wants = lanes.flatMap((_, place) => [['ep_1'], [5], [1_000], [place], [0]])
  const [answer] = await schema.query(`explain (format json) ${claimText(dialect)}`, ['bert', 100, 200, 10, ...wants])
  const plan = JSON.stringify(answer)
  for (const lane of lanes) expect(plan).toContain(`"Index Name":"webhook_deliveries_${lane}"`)
  expect(plan).toContain('"Conflict Arbiter Indexes":["attempts_pkey"]')
  expect(plan).not.toMatch(
    /"Node Type":"Seq Scan","Parent Relationship":"\w+","Parallel Aware":\w+,"Async Capable":\w+,"Relation Name":"(webhook_deliveries|attempts)"/,
  )
})

test('a claim of one lane is not planned anew each time', async () => {
  const pool = new Pool({ connectionString: schema.url, max: 1 })
  onTestFinished(() => pool.end())
  const ofFresh = [
    ['ep_1', 'ep_2'],
    [5, 5],
    [1_000, 1_000],
    [0, 1],
    [0, 0],
  ]
  const nothing: unknown[] = Array.from({ length: 10 }, () => [])
  for (let run = 0; run < 10; run += 1)
    await pool.query({
      name: 'claim',
      text: claimText(dialect),
      values: ['bert', 100, 200, 10, ...ofFresh, ...nothing],
    })
  const { rows: plans } = await pool.query('select generic_plans, custom_plans from pg_prepared_statements')
  expect(plans).toEqual([{ generic_plans: '5', custom_plans: '5' }])
})

test.each(lanes)('the walk steps through the index of its lane (%s)', async (lane) => {
  const [answer] = await schema.query(`explain (format json) ${walkText(dialect, lane)}`, ['', 10, 0])
  const plan = JSON.stringify(answer)
  expect(plan.match(/"Index Name":"\w+"/g)).toEqual([
    `"Index Name":"webhook_deliveries_${lane}"`,
    `"Index Name":"webhook_deliveries_${lane}"`,
  ])
})
