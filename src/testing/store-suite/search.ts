import assert from 'node:assert/strict'
import type { SearchRequest } from '../../core/ports/search.ts'
import { storeCase } from './case.ts'
import type { StoreCase } from './case.ts'
import { start } from './world.ts'
import type { World } from './world.ts'

/** What people find by a few letters. */
export const searchCases: readonly StoreCase[] = [
  storeCase('applications, endpoints and event types are found by any part of what they are called', async (world) => {
    const acme = await world.application({ uid: 'acme', name: 'Acme Shop' })
    const { id: applicationId } = acme
    const bank = await world.application({ uid: 'bank', name: '100 % Bank' })
    const named = { applicationId, uid: 'Books', description: 'Invoices to the books' }
    const books = await world.endpoint({ ...named, url: 'https://a.example/v1/Invoices' })
    const other = await world.endpoint({ applicationId: bank.id, url: 'https://b.example/in' })
    const at = { createdAt: start, updatedAt: start, schemas: null, archived: false, deprecated: false }
    const type = { ...at, name: 'invoice.paid', description: 'Paid in full', featureFlag: null }
    await world.directory.createEventType(type)
    await world.directory.createEventType({ ...type, name: 'invoice.old', archived: true })

    assert.deepEqual(await search(world, { kind: 'application', words: ['shop', 'acm'] }), [acme.id])
    assert.deepEqual(await search(world, { kind: 'application', words: [bank.id.slice(0, 22)] }), [bank.id])
    // Characters with a meaning in patterns stand for themselves.
    assert.deepEqual(await search(world, { kind: 'application', words: ['%'] }), [bank.id])
    assert.deepEqual(await search(world, { kind: 'endpoint', words: ['/v1/inv'] }), [books.id])
    assert.deepEqual(await search(world, { kind: 'endpoint', words: ['books'] }), [books.id])
    assert.deepEqual(await search(world, { kind: 'endpoint', words: [] }), [books.id, other.id].toSorted())
    assert.deepEqual(await search(world, { kind: 'endpoint', words: [], applicationId: bank.id }), [other.id])
    assert.deepEqual(await search(world, { kind: 'endpoint', words: ['nowhere'] }), [])
    assert.deepEqual(await search(world, { kind: 'event-type', words: ['paid', 'full'] }), ['invoice.paid'])
    assert.deepEqual(await search(world, { kind: 'event-type', words: ['invoice'] }), ['invoice.paid'])
    assert.deepEqual(await world.directory.search({ kind: 'endpoint', words: ['books'], limit: 1 }), [
      {
        kind: 'endpoint',
        id: books.id,
        uid: 'Books',
        name: 'Invoices to the books',
        url: 'https://a.example/v1/Invoices',
        applicationId,
        applicationName: 'Acme Shop',
        status: 'active',
      },
    ])
  }),

  storeCase('what is called exactly so comes first, and no more than asked for', async (world) => {
    const first = await world.application({ uid: 'acme-eu', name: 'Europe' })
    const second = await world.application({ uid: 'acme', name: 'All' })
    const third = await world.application({ uid: 'acme-us', name: 'America' })
    const [exact, ...others] = await search(world, { kind: 'application', words: ['acme'] })
    assert.equal(exact, second.id)
    assert.deepEqual(others, [first.id, third.id].toSorted())
    assert.deepEqual(await search(world, { kind: 'application', words: ['acme'], limit: 1 }), [second.id])
  }),

  storeCase(
    'messages and deliveries are found by the beginning of their id, the newest first, and by nothing else',
    async (world) => {
      const endpoint = await world.endpoint({ url: 'https://a.example/in' })
      const ids = [await world.sendOne(endpoint), await world.sendOne(endpoint, { at: start + 1 })]
      const [older = '', newer = ''] = ids
      const { messageId } = await world.delivery(older)
      assert.deepEqual(await search(world, { kind: 'delivery', words: ['dlv_'] }), [newer, older])
      assert.deepEqual(await search(world, { kind: 'delivery', words: [older] }), [older])
      assert.deepEqual(await search(world, { kind: 'delivery', words: [older.slice(0, -1)] }), [older])
      assert.deepEqual(await search(world, { kind: 'message', words: [messageId] }), [messageId])
      assert.deepEqual(await search(world, { kind: 'message', words: [older] }), [])
      for (const words of [[], ['example'], [older.slice(4)], ['dlv_', 'x'], ["dlv_' or 1"]])
        assert.deepEqual(await search(world, { kind: 'delivery', words }), [])
      const [found] = await world.directory.search({ kind: 'delivery', words: [older], limit: 1 })
      assert.equal(found?.url, 'https://a.example/in')
      assert.equal(found?.status, 'pending')
    },
  ),

  storeCase('nothing of a deleted application is found', async (world) => {
    const endpoint = await world.endpoint()
    const delivery = await world.sendOne(endpoint)
    const { messageId } = await world.delivery(delivery)
    await world.erase(endpoint.applicationId)
    assert.deepEqual(await search(world, { kind: 'application', words: [] }), [])
    assert.deepEqual(await search(world, { kind: 'endpoint', words: [] }), [])
    assert.deepEqual(await search(world, { kind: 'delivery', words: [delivery] }), [])
    assert.deepEqual(await search(world, { kind: 'message', words: [messageId] }), [])
  }),
]

async function search(world: World, request: Omit<SearchRequest, 'limit'> & { limit?: number }): Promise<string[]> {
  return (await world.directory.search({ limit: 10, ...request })).map(({ id }) => id)
}
