import assert from 'node:assert/strict'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { Secret } from '../../../core/signing/signature.ts'
import { hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { has, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

export const endpointCases = [
  storeCase('an endpoint comes back as given, by every way there is', async (world) => {
    const endpoint = await world.endpoint({
      uid: 'main',
      url: 'https://example.com/hooks?of=Zürich',
      description: 'The "main" one',
      types: ['invoice.*', 'order.made'],
      channels: ['eu'],
      filter: { and: [{ path: 'data.amount', greater: 100 }, { not: { path: 'data.test', equals: true } }] },
      headers: { authorization: 'Bearer x', 'x-tenant': '7' },
      metadata: { owner: 'Zoë' },
      policy: 'patient',
      signature: 'body',
      bodyHeader: 'x-signature',
      ratePerSecond: 20,
    })
    assert.deepEqual(await world.directory.endpoint(endpoint.applicationId, endpoint.id), endpoint)
    assert.deepEqual(await world.directory.endpoint(endpoint.applicationId, 'main'), endpoint)
    assert.deepEqual(await world.directory.endpoint(null, endpoint.id), endpoint)
    assert.deepEqual(await world.directory.listEndpoints({}, { limit: 10, after: null }), [endpoint])
    assert.deepEqual(await world.directory.endpointsById([endpoint.id]), [
      { ...endpoint, applicationRatePerSecond: null },
    ])
    // Matching needs no secret, so it gets none.
    const { id, url, status, types, channels, filter, policy } = endpoint
    assert.deepEqual((await world.directory.matching(endpoint.applicationId))?.endpoints, [
      { id, url, status, types, channels, filter, policy },
    ])
  }),

  storeCase(
    'the authentication of an endpoint is kept, changed, taken away, and gone with its application',
    async (world) => {
      const authentication = { basic: { username: 'Zoë', password: 'p"ss' }, ca: '-----BEGIN CERTIFICATE-----' }
      const endpoint = await world.endpoint({ authentication })
      const kept = async (): Promise<unknown> => only(await world.directory.endpointsById([endpoint.id])).authentication
      assert.deepEqual(await kept(), authentication)
      assert.deepEqual((await world.directory.endpoint(null, endpoint.id))?.authentication, authentication)
      await world.change(endpoint, { description: 'x' })
      assert.deepEqual(await kept(), authentication)
      has(await world.change(endpoint, { authentication: { bearer: 'abc' } }), { authentication: { bearer: 'abc' } })
      assert.deepEqual(await kept(), { bearer: 'abc' })
      await world.change(endpoint, { authentication: null })
      assert.equal(await kept(), null)

      const other = await world.endpoint({ authentication })
      await world.erase(other.applicationId)
      const [left = null] = await world.directory.endpointsById([other.id])
      assert.equal(left?.authentication ?? null, null)
    },
  ),

  storeCase('an endpoint is found within its application only', async (world) => {
    const endpoint = await world.endpoint({ uid: 'main' })
    const other = await world.application()
    for (const idOrUid of [endpoint.id, 'main']) assert.equal(await world.directory.endpoint(other.id, idOrUid), null)
    assert.equal(await world.directory.endpoint(endpoint.applicationId, world.id('ep')), null)
    assert.equal(await world.directory.endpoint(null, world.id('ep')), null)
    assert.equal(await world.directory.endpoint(null, 'main'), null)
  }),

  storeCase('a uid names one endpoint of an application', async (world) => {
    const endpoint = await world.endpoint({ uid: 'main' })
    const { applicationId } = endpoint
    await assert.rejects(world.endpoint({ applicationId, uid: 'main' }), { code: 'already_exists' })
    const second = await world.endpoint({ applicationId, uid: 'second' })
    await assert.rejects(world.change(second, { uid: 'main' }), { code: 'already_exists' })
    has(await world.endpoint({ uid: 'main' }), { uid: 'main' })
    has(await world.change(endpoint, { uid: 'main', description: 'kept' }), { uid: 'main', description: 'kept' })
    await times(2, () => world.endpoint({ applicationId, uid: null }))
  }),

  storeCase('endpoints are listed page by page, each once, of one application or of all', async (world) => {
    const { applicationId } = await world.endpoint()
    await times(4, (index) => world.endpoint({ applicationId, id: world.id('ep', start + index) }))
    await world.endpoint()
    for (const [filter, count] of [
      [{ applicationId }, 5],
      [{}, 6],
      [{ applicationId: undefined }, 6],
      [{ applicationId: world.id('app') }, 0],
    ] as const) {
      const seen: string[] = []
      for (let pages = 0; pages < 5; pages += 1) {
        const page = await world.directory.listEndpoints(filter, { limit: 2, after: seen.at(-1) ?? null })
        assert.ok(page.length <= 2)
        seen.push(...page.map(({ id }) => id))
      }
      assert.equal(seen.length, count)
      assert.equal(new Set(seen).size, count)
      const newestFirst = await world.directory.listEndpoints(filter, {
        limit: 2,
        after: seen.at(-1) ?? null,
        order: 'descending',
      })
      assert.deepEqual(
        newestFirst.map(({ id }) => id),
        seen.toReversed().slice(1, 3),
      )
    }
  }),

  storeCase('an endpoint changes in what is given, and in nothing else', async (world) => {
    const endpoint = await world.endpoint({ types: ['a'], headers: { a: 'b' }, ratePerSecond: 5, uid: 'main' })
    const change = { url: 'https://other.example/', types: [], ratePerSecond: null, description: undefined as never }
    const changed = await world.change(endpoint, change, start + 5)
    assert.deepEqual(changed, {
      ...endpoint,
      url: 'https://other.example/',
      types: [],
      ratePerSecond: null,
      updatedAt: start + 5,
    })
    assert.deepEqual(await world.directory.endpoint(null, endpoint.id), changed)
    has(await world.change(endpoint, { filter: { path: 'id', exists: true }, metadata: { a: 'b' } }, start + 6), {
      filter: { path: 'id', exists: true },
      metadata: { a: 'b' },
    })
    has(await world.change(endpoint, { filter: null }, start + 6), { filter: null, metadata: { a: 'b' } })
    has(await world.change(endpoint, { uid: null, headers: {}, channels: ['x'], policy: 'gateway' }, start + 6), {
      uid: null,
      headers: {},
      channels: ['x'],
      policy: 'gateway',
      url: 'https://other.example/',
    })
    assert.equal(await world.directory.updateEndpoint(world.id('ep'), { description: 'x' }, start), null)
  }),

  storeCase('a change of status keeps since when and why', async (world) => {
    const endpoint = await world.endpoint()
    has(await world.change(endpoint, { status: 'paused', statusReason: 'maria' }, start + 5), {
      status: 'paused',
      statusReason: 'maria',
      statusSince: start + 5,
    })
    has(await world.change(endpoint, { description: 'x' }, start + 6), {
      status: 'paused',
      statusReason: 'maria',
      statusSince: start + 5,
    })
    has(await world.change(endpoint, { status: 'active', statusReason: null }, start + 7), {
      status: 'active',
      statusReason: null,
      statusSince: start + 7,
    })
  }),

  storeCase('paused and disabled endpoints are still matched, for the core to decide', async (world) => {
    const endpoint = await world.endpoint()
    for (const status of ['paused', 'disabled'] as const) {
      await world.change(endpoint, { status })
      has(only((await world.directory.matching(endpoint.applicationId))?.endpoints ?? []), { id: endpoint.id, status })
    }
  }),

  storeCase(
    'a deleted endpoint is not seen any more, but by the engine, and without its secrets; its uid is free',
    async (world) => {
      const endpoint = await world.endpoint({ uid: 'main', headers: { authorization: 'Bearer x' } })
      const { applicationId } = endpoint
      await world.send(endpoint)
      has(await world.change(endpoint, { status: 'deleted' }, start + 5), { status: 'deleted', statusSince: start + 5 })

      assert.equal(await world.directory.endpoint(applicationId, endpoint.id), null)
      assert.equal(await world.directory.endpoint(applicationId, 'main'), null)
      assert.equal(await world.directory.endpoint(null, endpoint.id), null)
      assert.deepEqual(await world.directory.listEndpoints({ applicationId }, { limit: 10, after: null }), [])
      assert.deepEqual((await world.directory.matching(applicationId))?.endpoints, [])
      has(only(await world.directory.endpointsById([endpoint.id])), {
        id: endpoint.id,
        status: 'deleted',
        secrets: [],
        headers: {},
      })
      assert.equal(await world.directory.countDeliveries({ endpointId: endpoint.id, status: 'pending' }, 10), 1)

      assert.equal(await world.directory.updateEndpoint(endpoint.id, { status: 'active' }, start + 6), null)
      const rotation = { endpointId: endpoint.id, secret: aSecret(world, 1), othersEndAt: start, now: start }
      assert.equal(await world.directory.rotateSecret(rotation), null)
      has(await world.endpoint({ applicationId, uid: 'main' }), { uid: 'main' })
    },
  ),

  storeCase('the engine gets endpoints by id, each once, and not those that never were', async (world) => {
    const made = await times(30, () => world.endpoint())
    const asked = made.map(({ id }) => id)
    const found = await world.directory.endpointsById([...asked, asked[0] ?? '', world.id('ep')])
    assert.deepEqual(found.map(({ id }) => id).toSorted(), asked.toSorted())
    assert.deepEqual(await world.directory.endpointsById([]), [])
  }),

  storeCase('the engine gets endpoints with the limit of their application, as it is now', async (world) => {
    const [limited, free] = [await world.application({ ratePerSecond: 20 }), await world.application()]
    const [one, two, other] = [
      await world.endpoint({ applicationId: limited.id, ratePerSecond: 5 }),
      await world.endpoint({ applicationId: limited.id }),
      await world.endpoint({ applicationId: free.id }),
    ]
    const limits = async (): Promise<(number | null)[][]> =>
      (await world.directory.endpointsById([one.id, two.id, other.id])).map(
        ({ ratePerSecond, applicationRatePerSecond }) => [ratePerSecond, applicationRatePerSecond],
      )
    assert.deepEqual(await limits(), [
      [5, 20],
      [null, 20],
      [null, null],
    ])
    await world.directory.updateApplication(limited.id, { ratePerSecond: null }, start + 1)
    await world.directory.updateApplication(free.id, { ratePerSecond: 7 }, start + 1)
    assert.deepEqual(await limits(), [
      [5, null],
      [null, null],
      [null, 7],
    ])
    await world.erase(free.id, start + 2)
    assert.deepEqual(await limits(), [
      [5, null],
      [null, null],
      [null, null],
    ])
  }),

  storeCase('a rotation puts the new secret first, and lets the others end', async (world) => {
    const endpoint = await world.endpoint()
    const [first, second, third] = [only(endpoint.secrets), aSecret(world, 1), aSecret(world, 2)]
    const once = await rotate(world, endpoint, second, start + hour)
    assert.deepEqual(once.secrets, [second, { ...first, expiresAt: start + hour }])
    has(once, { updatedAt: second.createdAt, status: 'active' })

    // A rotation must not revive a secret that expires earlier.
    const twice = await rotate(world, endpoint, third, start + 2 * hour)
    assert.deepEqual(twice.secrets, [
      third,
      { ...second, expiresAt: start + 2 * hour },
      { ...first, expiresAt: start + hour },
    ])
    assert.deepEqual(await world.directory.endpoint(null, endpoint.id), twice)
    has(only(await world.directory.endpointsById([endpoint.id])), twice)
    const rotation = { endpointId: world.id('ep'), secret: aSecret(world, 3), othersEndAt: start, now: start }
    assert.equal(await world.directory.rotateSecret(rotation), null)
  }),

  storeCase('several secrets come back as given, newest first', async (world) => {
    const secrets = [
      aSecret(world, 3),
      { ...aSecret(world, 2), expiresAt: start + hour },
      { ...aSecret(world, 1), expiresAt: start },
    ]
    const endpoint = await world.endpoint({ secrets })
    assert.deepEqual((await world.directory.endpoint(null, endpoint.id))?.secrets, secrets)
    assert.deepEqual(only(await world.directory.endpointsById([endpoint.id])).secrets, secrets)
  }),

  storeCase('an application without endpoints can be matched, an unknown one cannot', async (world) => {
    const application = await world.application()
    assert.deepEqual((await world.directory.matching(application.id))?.endpoints, [])
    assert.equal(await world.directory.matching(world.id('app')), null)
  }),

  storeCase('every change of an endpoint raises the version of its application, and of no other', async (world) => {
    const { id: applicationId } = await world.application()
    const elsewhere = await world.endpoint()
    const version = async (of: string): Promise<number> => (await world.directory.matching(of))?.endpointsVersion ?? -1
    const otherVersion = await version(elsewhere.applicationId)

    let last = await version(applicationId)
    const raised = async (what: string): Promise<void> => {
      const next = await version(applicationId)
      assert.ok(next > last, `${what} raises the version`)
      last = next
    }
    const endpoint = await world.endpoint({ applicationId })
    await raised('create')
    await world.change(endpoint, { description: 'x' })
    await raised('update')
    await world.change(endpoint, { status: 'paused' })
    await raised('status')
    await rotate(world, endpoint, aSecret(world, 1), start)
    await raised('rotate')
    await world.change(endpoint, { status: 'deleted' })
    await raised('delete')

    await world.send(elsewhere)
    assert.equal(await version(elsewhere.applicationId), otherVersion)
  }),
]

function aSecret(world: World, index: number): Secret {
  const value = `whsec_${Buffer.from(`a secret of some length, number ${index}`).toString('base64')}`
  return { id: world.id('sec', start + index), value, createdAt: start + index, expiresAt: null }
}

async function rotate(world: World, endpoint: Endpoint, secret: Secret, othersEndAt: number): Promise<Endpoint> {
  const rotated = await world.directory.rotateSecret({
    endpointId: endpoint.id,
    secret,
    othersEndAt,
    now: secret.createdAt,
  })
  assert.ok(rotated !== null)
  return rotated
}
