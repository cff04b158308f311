import { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lanes } from '../../src/core/delivery/delivery.ts'
import { claimText } from '../../src/stores/postgres/queue/claim.ts'
import { postgresDialect } from '../../src/stores/postgres/database.ts'
import { releaseText, renewText, startText } from '../../src/stores/postgres/queue/leases.ts'
import { lateText, markText } from '../../src/stores/postgres/queue/mark.ts'
import { walkText } from '../../src/stores/postgres/queue/walk.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import type { AuditFilter } from '../../src/core/ports/audit.ts'
import { auditEntries } from '../../src/stores/shared/audit.ts'
import { searchFor } from '../../src/stores/shared/search.ts'
import { render } from '../../src/stores/shared/sql/sql.ts'
import type { Sql } from '../../src/stores/shared/sql/sql.ts'
import { closedBefore, messagesBefore } from '../../src/stores/shared/upkeep/prune.ts'
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

/** Of deliveries that were sent to `ep_1` and delivered, under epoch 1. */
function marksOf(marked: readonly string[]): unknown[] {
  const each = (value: unknown): unknown[] => marked.map(() => value)
  const mark = [each('delivered'), each(null), each(1), each(null), each(null)]
  const attempt = [each(5), each(3), each('answered'), each(200), each(null), each('https://a.example')]
  return [
    'anna',
    9,
    0,
    marked,
    each(1),
    each('ep_1'),
    ...mark,
    ...attempt,
    each('delivered'),
    each(0),
    each(1),
    each(null),
  ]
}

test.each<[string, string, unknown[]]>([
  ['a renewal', renewText(dialect), ['anna', 1, ids, ones]],
  ['a release', releaseText(dialect), ['anna', ids, ones, ...Array.from({ length: 4 }, () => ids.map(() => null))]],
  ['a mark', markText(dialect), marksOf(ids)],
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

test('a mark that comes too late looks for its delivery by the key', async () => {
  await schema.query('analyze webhook_deliveries')
  const late = [['dlv_1'], [1], [1], [5], [3], ['answered'], [200], [null], ['https://a.example'], [null]]
  const [answer] = await schema.query(`explain (format json) ${lateText(dialect)}`, late)
  expect(JSON.stringify(answer)).not.toContain('"Node Type":"Seq Scan"')
})

const ofFresh = [
  ['ep_1', 'ep_2'],
  [5, 5],
  [1_000, 1_000],
  [0, 1],
  [0, 0],
]
const nothing: unknown[] = Array.from({ length: 10 }, () => [])

test.each<[string, string, unknown[]]>([
  ['a claim of one lane', claimText(dialect), ['bert', 100, 200, 10, ...ofFresh, ...nothing]],
  ['a mark of one delivery', markText(dialect), marksOf(['dlv_1'])],
  ['a renewal of one lease', renewText(dialect), ['anna', 1, ['dlv_1'], [1]]],
])('%s is not planned anew each time', async (_, text, values) => {
  const pool = new Pool({ connectionString: schema.url, max: 1 })
  onTestFinished(() => pool.end())
  for (let run = 0; run < 10; run += 1) await pool.query({ name: 'hot', text, values })
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

test('what is too old is found by its age, and dead letters among themselves', async () => {
  await schema.query(`insert into webhook_deliveries (id, webhook_id, message_id, status)
    select 'dlv_0000' || n, 'ep_1', 'msg_' || n, case when n % 100 = 0 then 'dead' else 'delivered' end
    from generate_series(1, ${rows}) as n`)
  await schema.query(`insert into messages (id, body) select 'msg_' || n, '' from generate_series(1, ${rows}) as n`)
  for (const table of ['webhook_deliveries', 'messages']) await schema.query(`analyze ${table}`)
  const before = Date.UTC(2026, 0, 1)
  const walk = { before, after: '', limit: 10 }
  expect(await indexesOf(closedBefore({ ...walk, status: 'delivered' }))).toEqual(['webhook_deliveries_pkey'])
  expect(await indexesOf(closedBefore({ ...walk, status: 'dead' }))).toEqual(['webhook_deliveries_dead'])
  expect(await indexesOf(messagesBefore(before, '', 10))).toEqual(['messages_pkey', 'webhook_deliveries_of_message'])
})

test.each<[string, AuditFilter]>([
  ['audit_pkey', {}],
  ['audit_pkey', { since: 1, until: 2 }],
  ['posthorn_audit_of_actor', { actor: 'kim' }],
  ['posthorn_audit_of_key', { actor: `key_${'0'.repeat(19)}` }],
  ['posthorn_audit_of_action', { action: 'reveal' }],
  ['posthorn_audit_of_target', { target: 'ep_1' }],
  ['posthorn_audit_of_application', { applicationId: 'app_1' }],
])('the audit log is searched through %s for %j', async (index, filter) => {
  await schema.query(`insert into audit (id, at, actor, actor_id, action, target, application_id, count)
    select 'aud_' || n, 0, 'actor ' || n, 'key_' || n, 'action ' || n, 'target ' || n, 'app_' || n, 1
    from generate_series(1, 2000) as n on conflict do nothing`)
  await schema.query('analyze audit')
  expect(await indexesOf(auditEntries(filter, { limit: 50, after: null }))).toEqual([index])
})

test.each([
  ['messages_pkey', 'message', 'msg_1'],
  ['webhook_deliveries_pkey', 'delivery', 'dlv_1'],
] as const)('%s finds a %s by the beginning of its id', async (index, kind, word) => {
  await schema.query(`insert into messages (id, body)
    select 'msg_' || n, '' from generate_series(1, ${rows}) as n on conflict do nothing`)
  await schema.query('analyze messages')
  const statement = searchFor({ kind, words: [word], limit: 8 })
  expect(statement === null ? [] : await indexesOf(statement)).toContain(index)
})

/** The indexes that a statement goes through; it fails if a large table is read as a whole. */
async function indexesOf(statement: Sql): Promise<string[]> {
  const { text, values } = render(statement, dialect)
  const [answer] = await schema.query(`explain (format json) ${text}`, [...values])
  const plan = JSON.stringify(answer)
  expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"(webhook_deliveries|messages|audit)"/)
  return [...new Set(Array.from(plan.matchAll(/"Index Name":"(\w+)"/g), ([, name = '']) => name))].toSorted()
}
