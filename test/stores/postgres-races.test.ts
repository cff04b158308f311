import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { postgres } from '../../src/stores/postgres/index.ts'
import { delivered } from '../../src/testing/store-suite/queue/marks.ts'
import { leaseMs, makeWorld, start } from '../../src/testing/store-suite/world.ts'
import { freshSchema } from '../postgres.ts'

// What the conformance suite cannot show: what a call does that had to wait for another transaction to end.

const schema = freshSchema()
const other = new Pool({ connectionString: schema.url, max: 1, options: `-c search_path=${schema.schema}` })
const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
const world = makeWorld(store)
const by = { name: 'test' }

beforeAll(() => store.open())
beforeEach(() => schema.empty())
afterAll(async () => {
  await store.close()
  await other.end()
  await schema.drop()
})

test('a row that is claimed while it is to be requeued stays with the claimer', async () => {
  const endpoint = await world.endpoint()
  const id = await world.sendOne(endpoint)
  const count = await after(
    `update webhook_deliveries set lease_owner = 'bert', lease_until = ${start + leaseMs}, lease_epoch = lease_epoch + 1`,
    () => store.queue.requeue({ filter: { ids: [id] }, now: start, limit: 1, by }),
  )
  expect(count).toBe(0)
  expect(await world.delivery(id)).toMatchObject({ leaseOwner: 'bert', leaseEpoch: 1 })
})

test('a row that is delivered while it is to be cancelled stays delivered', async () => {
  const endpoint = await world.endpoint()
  const id = await world.sendOne(endpoint)
  const ended = await after(`update webhook_deliveries set status = 'delivered'`, () =>
    store.queue.cancel({ filter: { endpointId: endpoint.id }, as: 'cancelled', now: start, limit: 10, by }),
  )
  expect(ended).toEqual([])
  expect(await world.delivery(id)).toMatchObject({ status: 'delivered' })
})

test('a dead row that is requeued while it is to be pruned keeps its attempts', async () => {
  const endpoint = await world.endpoint()
  const id = await world.sendOne(endpoint)
  await schema.query(`update webhook_deliveries set status = 'dead'`)
  await schema.query(
    `insert into attempts (delivery_id, epoch, started_at, took_ms, outcome, url) values ($1, 1, 0, 0, 'answered', '')`,
    [id],
  )
  await after(`update webhook_deliveries set status = 'pending'`, () =>
    store.queue.prune({ before: start + 1, deadBefore: start + 1, auditBefore: 0, now: start + 1, limit: 10 }),
  )
  expect(await world.delivery(id)).toMatchObject({ status: 'pending' })
  expect(await store.directory.attempts(id)).toHaveLength(1)
})

test('a key that another has just taken, and not yet committed, is waited for and repeated', async () => {
  const endpoint = await world.endpoint()
  const envelope = await world.envelope([endpoint], { key: 'once' })
  const answers = await after(
    `insert into idempotency_keys (application_id, key, message_id, body_hash, deliveries, expires_at)
     values ('${endpoint.applicationId}', 'once', 'msg_first', 'hash', 4, ${start + 1})`,
    () => store.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [envelope] }),
  )
  expect(answers).toEqual([{ kind: 'repeated', messageId: 'msg_first', deliveries: 4 }])
  expect(await store.directory.message(envelope.message.id)).toBeNull()
})

test('an event id that another transaction takes meanwhile is taken, also within a batch, whose others are stored', async () => {
  const endpoint = await world.endpoint()
  const [plain, named] = [
    await world.envelope([endpoint]),
    await world.envelope([endpoint], { message: { eventId: 'paid-7' } }),
  ]
  const answers = await after(
    `insert into messages (id, application_id, event_id, body) values ('msg_first', '${endpoint.applicationId}', 'paid-7', '')`,
    () => store.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [plain, named] }),
  )
  expect(answers).toEqual([{ kind: 'stored' }, { kind: 'taken', messageId: 'msg_first' }])
  expect(await store.directory.message(named.message.id)).toBeNull()
  expect(await world.claim({ from: endpoint })).toHaveLength(1)
})

test('an event id that another transaction gives up is stored', async () => {
  const endpoint = await world.endpoint()
  const envelope = await world.envelope([endpoint], { message: { eventId: 'paid-7' } })
  const answers = await after(
    `insert into messages (id, application_id, event_id, body) values ('msg_first', '${endpoint.applicationId}', 'paid-7', '')`,
    () => store.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [envelope] }),
    'rollback',
  )
  expect(answers).toEqual([{ kind: 'stored' }])
})

test('a key that another process takes meanwhile is busy', async () => {
  const taken = await after(
    `insert into replies (key, request_hash, expires_at) values ('once', 'hash', ${start + 1})`,
    () => store.directory.takeReply({ key: 'once', requestHash: 'hash', now: start, until: start + 1 }),
  )
  expect(taken).toEqual({ kind: 'busy' })
})

test('a batch of a job leaves alone what was delivered meanwhile, and goes on from there', async () => {
  const endpoint = await world.endpoint()
  const ids = [await world.sendOne(endpoint), await world.sendOne(endpoint)].toSorted()
  const job = await store.directory.createJob({
    id: world.id('job'),
    applicationId: null,
    work: { action: 'cancel', filter: { endpointId: endpoint.id } },
    state: 'running',
    matching: 2,
    done: 0,
    skipped: 0,
    cursor: null,
    actor: 'test',
    reason: null,
    createdAt: start,
    updatedAt: start,
  })
  const batch = await after(`update webhook_deliveries set status = 'delivered' where id = '${ids[0]}'`, () =>
    store.directory.advanceJob(job.id, 10, start),
  )
  expect(batch).toMatchObject({ job: { state: 'done', done: 1 }, cancelled: [{ id: ids[1] }] })
  expect(await world.delivery(ids[0] ?? '')).toMatchObject({ status: 'delivered' })
})

test('a claim passes over what another is just claiming, and does not wait', async () => {
  const endpoint = await world.endpoint()
  const [first, second] = [await world.sendOne(endpoint), await world.sendOne(endpoint)]
  await other.query('begin')
  onTestFinished(async () => void (await other.query('rollback')))
  await other.query('select from webhook_deliveries where id = $1 for update', [first])
  // One that waits is refused in the end.
  const claimed = await world
    .claim({ from: endpoint })
    .then((claims) => claims.map(({ delivery }) => delivery.id), String)
  expect(claimed).toEqual([second])
})

test('an outcome that comes while its row is taken over is lost, and takes the place of the interruption', async () => {
  const endpoint = await world.endpoint()
  const id = await world.sendOne(endpoint)
  const claim = await world.claimOne({ from: endpoint })
  const answers = await after(takeover(id), () => world.mark([delivered(claim, start)]))
  expect(answers).toEqual(['lost'])
  expect(await world.delivery(id)).toMatchObject({ status: 'pending', leaseOwner: 'bert', leaseEpoch: 2 })
  expect(await store.directory.attempts(id)).toMatchObject([{ epoch: 1, outcome: 'answered', late: true }])
})

test('an attempt is not written ahead if its row is taken over meanwhile', async () => {
  const endpoint = await world.endpoint()
  const id = await world.sendOne(endpoint)
  await world.claimOne({ from: endpoint })
  const starts = [{ deliveryId: id, epoch: 1, url: 'https://ahead.example' }]
  expect(await after(takeover(id), () => store.queue.start({ owner: 'anna', now: start, starts }))).toEqual([])
  expect(await store.directory.attempts(id)).toMatchObject([{ epoch: 1, outcome: 'interrupted' }])
})

test('a new URL begins the generation after one that a worker writes just now', async () => {
  const endpoint = await world.endpoint()
  await after(
    `insert into endpoint_health (endpoint_id, generation, held_until, version) values ('${endpoint.id}', 3, ${start + 9}, 1)`,
    () => store.directory.updateEndpoint(endpoint.id, { url: 'https://new.example' }, start),
  )
  expect((await store.queue.health([endpoint.id])).get(endpoint.id)).toMatchObject({
    generation: 4,
    heldUntil: null,
    rampFrom: start,
    version: 2,
  })
})

test('an endpoint whose next generation is just being written is not disabled', async () => {
  const endpoint = await world.endpoint()
  await schema.query(`insert into endpoint_health (endpoint_id, generation) values ('${endpoint.id}', 3)`)
  const disabled = await after(`update endpoint_health set generation = 4`, () =>
    store.queue.disable({ endpointId: endpoint.id, url: endpoint.url, generation: 3, reason: 'gone', now: start }),
  )
  expect(disabled).toBe(false)
  expect(await store.directory.endpoint(null, endpoint.id)).toMatchObject({ status: 'active' })
})

test("workers that take tokens at the same time get no more than a second's worth in a second, whatever order they ask in", async () => {
  const another = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
  await another.open()
  const [perSecond, ids] = [50, ['ep_1', 'ep_2', 'ep_3']]
  await store.queue.takeTokens({ now: start, asks: ids.map((id) => ({ id, perSecond, most: perSecond })) })
  const granted = new Map(ids.map((id) => [id, 0]))
  const calls = Array.from({ length: 60 }, async (_, index) => {
    const order = index % 2 === 0 ? ids : ids.toReversed()
    const asks = order.map((id) => ({ id, perSecond, most: 3 }))
    const counts = await (index % 3 === 0 ? another : store).queue.takeTokens({
      now: start + ((index * 37) % 1_000),
      asks,
    })
    for (const [place, id] of order.entries()) granted.set(id, (granted.get(id) ?? 0) + (counts[place] ?? 0))
  })
  await Promise.all(calls)
  await another.close()
  for (const sum of granted.values()) {
    expect(sum).toBeGreaterThan(perSecond / 2)
    expect(sum).toBeLessThanOrEqual(perSecond + 1)
  }
})

test('two changes of one endpoint at the same time are both kept', async () => {
  const endpoint = await world.endpoint()
  await after(`update endpoints set description = 'from another'`, () =>
    store.directory.updateEndpoint(endpoint.id, { policy: 'patient' }, start),
  )
  expect(await store.directory.endpoint(null, endpoint.id)).toMatchObject({
    description: 'from another',
    policy: 'patient',
  })
})

test('a batch takes no more than its limit, however the rows are found', async () => {
  const endpoint = await world.endpoint()
  const ids = [
    await world.sendOne(endpoint),
    await world.sendOne(endpoint),
    await world.sendOne(endpoint),
    await world.sendOne(endpoint),
  ]
  // Of one connection, which is then planned with nested loops only.
  const pool = new Pool({
    connectionString: schema.url,
    max: 1,
    connectionTimeoutMillis: 10_000,
    options:
      '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_hashagg=off -c enable_sort=off -c enable_material=off',
  })
  const looped = postgres(pool, { schema: schema.schema, plaintextSecrets: true })
  await looped.open()
  expect(await looped.queue.requeue({ filter: { ids }, now: start, limit: 2, by })).toBe(2)
  expect(
    await looped.queue.cancel({ filter: { endpointId: endpoint.id }, as: 'cancelled', now: start, limit: 3, by }),
  ).toHaveLength(3)
  await looped.close()
  await pool.end()
})

/** What a claim of another worker writes. */
function takeover(id: string): string {
  return `with taken as (
  update webhook_deliveries set lease_owner = 'bert', lease_epoch = 2, interruptions = 1 where id = '${id}'
)
insert into attempts (delivery_id, epoch, started_at, took_ms, outcome, url) values ('${id}', 1, ${start}, 0, 'interrupted', '')`
}

/** Calls while another transaction has written, and ends that once the call waits for it. */
async function after<Result>(
  written: string,
  call: () => Promise<Result>,
  end: 'commit' | 'rollback' = 'commit',
): Promise<Result> {
  await other.query('begin')
  await other.query(written)
  const calling = call()
  for (;;) {
    const waiting = await schema.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1`,
      [`%${schema.schema}%`],
    )
    if (waiting.length > 0) break
  }
  await other.query(end)
  return calling
}
