import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgres } from '../../src/stores/postgres/index.ts'
import { leaseMs, makeWorld, start } from '../../src/testing/store-suite/world.ts'
import { freshSchema } from '../postgres.ts'

const schema = freshSchema()
const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
const pool = new Pool({ connectionString: schema.url, max: 1 })

beforeAll(() => store.open())
afterAll(async () => {
  await store.close()
  await pool.end()
  await schema.drop()
})

test('E15 a send within a transaction touches nothing but the transaction: its store needs neither a connection nor to be open', async () => {
  const world = makeWorld(store)
  const endpoint = await world.endpoint()
  const envelope = await world.envelope([endpoint])
  // Nobody listens there; and the only connection of the application is the one that the transaction is on.
  const elsewhere = postgres('postgres://nobody@127.0.0.1:1/nothing', { schema: schema.schema, plaintextSecrets: true })
  const tx = await pool.connect()
  try {
    await tx.query('begin')
    const joined = await elsewhere.within?.(tx)
    const [before] = (await tx.query('select floor(extract(epoch from clock_timestamp()) * 1000) as time')).rows
    const look = await joined?.look([endpoint.applicationId, 'nobody'])
    expect(look?.time).toBeGreaterThanOrEqual(Number(before.time))
    expect([...(look?.applications ?? [])]).toMatchObject([
      [endpoint.applicationId, { applicationId: endpoint.applicationId, endpoints: [{ id: endpoint.id }] }],
    ])
    expect(await joined?.createApplication(newApplication(world.id('app')))).toMatchObject({ uid: 'new' })
    const request = { owner: 'anna', leaseMs, now: start, envelopes: [envelope] }
    expect(await joined?.queue.enqueue({ ...request, begins: () => false })).toEqual([{ kind: 'withdrawn' }])
    expect(await joined?.queue.enqueue(request)).toEqual([{ kind: 'stored' }])
    await tx.query('commit')
  } finally {
    tx.release()
  }
  expect(await world.claim({ from: endpoint })).toHaveLength(1)
})

function newApplication(id: string) {
  return { id, uid: 'new', name: 'New', metadata: {}, ratePerSecond: null, createdAt: start, updatedAt: start }
}
