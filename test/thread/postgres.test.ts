import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Posthorn } from 'posthorn'
import { receiver } from '../../src/testing/receiver.ts'
import { freshSchema } from '../postgres.ts'
import { builtModules } from './built.ts'

const built = builtModules()
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

test('on PostgreSQL, too, a thread stores and delivers, and this one reads', async () => {
  const { posthorn, local } = await world()
  const delivered = new Promise((resolve) => posthorn.on('delivery.delivered', resolve))
  const { id } = await posthorn.send(paid)
  await delivered
  expect(local.receipts[0]?.headers['webhook-id']).toBe(id)
  expect(await posthorn.deliveries.list({})).toMatchObject([{ messageId: id, status: 'delivered' }])
})

test('what is sent within a transaction of the caller leaves once it is committed, and never if it is not', async () => {
  const { posthorn, local, url } = await world()
  const pool = new Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const client = await pool.connect()
  await client.query('begin')
  await posthorn.send(paid, { tx: client })
  await client.query('rollback')
  await client.query('begin')
  const { id } = await posthorn.send(paid, { tx: client })
  await client.query('commit')
  client.release()
  await local.waitFor(1)
  expect(local.receipts.map(({ headers }) => headers['webhook-id'])).toEqual([id])
})

test('a pool of the application’s own is refused, and says why', async () => {
  const { Posthorn: Built } = await built.load('index.js')
  const pool = new Pool({ connectionTimeoutMillis: 10_000 })
  onTestFinished(() => pool.end())
  const store = (await postgres())(pool)
  expect(() => new Built({ store, thread: true })).toThrow('unless `store` is sqlite(path) or postgres(url)')
})

async function world(): Promise<{ posthorn: Posthorn; local: Awaited<ReturnType<typeof receiver>>; url: string }> {
  const { url, schema, drop } = freshSchema()
  onTestFinished(drop)
  const local = await receiver()
  onTestFinished(() => local.close())
  const { Posthorn: Built } = await built.load('index.js')
  const store = (await postgres())(url, { schema, plaintextSecrets: true })
  const posthorn = new Built({ store, thread: true, allowedTargets: ['127.0.0.1'] })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  await posthorn.start()
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  return { posthorn, local, url }
}

async function postgres() {
  return (await built.load('stores/postgres/index.js')).postgres
}
