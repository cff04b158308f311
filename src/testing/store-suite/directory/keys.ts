import assert from 'node:assert/strict'
import type { ApiKey } from '../../../core/ports/key.ts'
import { day, hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { has, start } from '../world.ts'
import type { World } from '../world.ts'

export const keyCases = [
  storeCase('a key comes back as given, by its hash', async (world) => {
    const admin = aKey(world, 'h1')
    const narrow = aKey(world, 'h2', {
      applicationId: world.id('app'),
      access: 'read',
      expiresAt: start + day,
      name: 'Zürich',
    })
    const customer = aKey(world, 'h4', { applicationId: world.id('app'), portal: { featureFlags: ['beta', 'x.y'] } })
    for (const key of [admin, narrow, customer]) {
      assert.deepEqual(await world.directory.createKey(key), key)
      assert.deepEqual(await world.directory.keyByHash(key.hash), key)
    }
    assert.equal(await world.directory.keyByHash('h3'), null)
    await assert.rejects(world.directory.createKey(aKey(world, 'h1')), { code: 'already_exists' })
  }),

  storeCase('a revoked key says since when, for good', async (world) => {
    const key = await world.directory.createKey(aKey(world, 'h1'))
    has(await world.directory.revokeKey(key.id, start + 5), { id: key.id, revokedAt: start + 5 })
    has(await world.directory.revokeKey(key.id, start + 9), { revokedAt: start + 5 })
    has(await world.directory.keyByHash('h1'), { revokedAt: start + 5 })
    assert.equal(await world.directory.revokeKey(world.id('key'), start), null)
  }),

  storeCase('keys that live are listed, newest first, of one application or of all', async (world) => {
    const applicationId = world.id('app')
    const [old, mine, expiring, revoked] = [
      aKey(world, 'h1', { id: world.id('key', start) }),
      aKey(world, 'h2', { id: world.id('key', start + 1), applicationId }),
      aKey(world, 'h3', { id: world.id('key', start + 2), expiresAt: start + hour }),
      aKey(world, 'h4', { id: world.id('key', start + 3), applicationId }),
    ]
    for (const key of [old, mine, expiring, revoked]) await world.directory.createKey(key)
    await world.directory.revokeKey(revoked.id, start + hour)
    const list = async (
      filter: { applicationId?: string; livingAt: number },
      after: string | null = null,
      limit = 10,
    ): Promise<string[]> => (await world.directory.listKeys(filter, { after, limit })).map(({ hash }) => hash)
    assert.deepEqual(await list({ livingAt: start }), ['h4', 'h3', 'h2', 'h1'])
    assert.deepEqual(await list({ livingAt: start + hour }), ['h2', 'h1'])
    assert.deepEqual(await list({ livingAt: start + hour - 1, applicationId }), ['h4', 'h2'])
    assert.deepEqual(await list({ livingAt: start }, expiring.id, 1), ['h2'])
  }),

  storeCase('prune forgets keys that ended more than 30 days ago, and no others', async (world) => {
    await world.directory.createKey(aKey(world, 'living'))
    await world.directory.createKey(aKey(world, 'expired', { expiresAt: start }))
    await world.directory.createKey(aKey(world, 'expiring', { expiresAt: start + hour }))
    const revoked = await world.directory.createKey(aKey(world, 'revoked', { expiresAt: start + day }))
    await world.directory.revokeKey(revoked.id, start)
    await world.prune({ before: start, now: start + hour + 30 * day, limit: 10 })
    const left = await world.directory.listKeys({ livingAt: 0 }, { limit: 10, after: null })
    assert.deepEqual(left.map(({ hash }) => hash).toSorted(), ['expiring', 'living'])
  }),
]

function aKey(world: World, hash: string, change: Partial<ApiKey> = {}): ApiKey {
  return {
    id: world.id('key'),
    name: '',
    applicationId: null,
    access: 'write',
    hash,
    hint: 'phk_ab',
    createdAt: start,
    expiresAt: null,
    revokedAt: null,
    sessionOf: null,
    portal: null,
    ...change,
  }
}
