import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { postgres } from '../../src/stores/postgres/index.ts'
import { leaseMs, makeWorld, only, start } from '../../src/testing/store-suite/world.ts'
import { freshSchema } from '../postgres.ts'

// That rows due before `dueFrom` are left out is what keeps a claim from reading over what was finished before.

const schema = freshSchema()
const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
const world = makeWorld(store)

beforeAll(() => store.open())
beforeEach(() => schema.empty())
afterAll(async () => {
  await store.close()
  await schema.drop()
})

test.each(['fresh', 'retries'] as const)(
  'a claim begins where it is told to, each endpoint at its own place (%s)',
  async (lane) => {
    const [one, other] = [await world.endpoint(), await world.endpoint()]
    for (const endpoint of [one, other])
      for (const dueAt of [start - 3, start - 2, start - 1]) await world.send(endpoint, { dueAt })
    if (lane === 'retries') await schema.query(`update webhook_deliveries set requeued_at = 1`)
    const wants = [
      { endpointId: one.id, lane, most: 10, mostBytes: 2 ** 20, dueFrom: start - 2 },
      { endpointId: other.id, lane, most: 10, mostBytes: 2 ** 20, dueFrom: start - 1 },
    ]
    const claims = await store.queue.claim({ owner: 'anna', leaseMs, now: start, most: 100, wants })
    expect(claims.map(({ delivery }) => delivery.endpointId)).toEqual([one.id, one.id, other.id])
  },
)

test.each(['fresh', 'retries'] as const)('a walk passes over what was due before (%s)', async (lane) => {
  const [old, both] = [await world.endpoint(), await world.endpoint()]
  for (const endpoint of [old, both]) await world.send(endpoint, { dueAt: start - 5 })
  await world.send(both, { dueAt: start - 2 })
  if (lane === 'retries') await schema.query(`update webhook_deliveries set requeued_at = 1`)
  const walked = await store.queue.dueEndpoints({ lane, after: '', limit: 10, dueFrom: start - 2 })
  expect(only(walked)).toEqual({ endpointId: both.id, dueAt: start - 2 })
})
