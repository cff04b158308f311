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

  storeCase('sessions that live are listed, of one key or of all, until their key ends', async (world) => {
    const owner = aKey(world, 'owner')
    const [first, second] = [0, 1].map((index) =>
      aKey(world, `s${index}`, {
        id: world.id('key', start + index),
        sessionOf: owner.id,
        expiresAt: start + day,
        createdFrom: '10.0.0.7',
      }),
    ) as [ApiKey, ApiKey]
    const others = aKey(world, 's2', { id: world.id('key', start + 2), sessionOf: 'admin_1', expiresAt: start + hour })
    for (const key of [owner, first, second, others]) await world.directory.createKey(key)
    const list = async (filter: { of?: string; livingAt: number }): Promise<string[]> =>
      (await world.directory.listSessions(filter, { limit: 10, after: null })).map(({ hash }) => hash)
    assert.deepEqual(await list({ livingAt: start }), ['s2', 's1', 's0'])
    assert.deepEqual(await list({ livingAt: start + hour }), ['s1', 's0'])
    assert.deepEqual(await list({ livingAt: start, of: owner.id }), ['s1', 's0'])
    assert.deepEqual(await world.directory.listSessions({ livingAt: start }, { limit: 1, after: second.id }), [first])
    await world.directory.revokeKey(owner.id, start + 5)
    assert.deepEqual(await list({ livingAt: start + 5 }), ['s2'])
  }),

  storeCase('all sessions of a key end at once, and no others', async (world) => {
    const owner = await world.directory.createKey(aKey(world, 'owner'))
    for (const hash of ['s0', 's1']) await world.directory.createKey(aKey(world, hash, { sessionOf: owner.id }))
    await world.directory.createKey(aKey(world, 'ended', { sessionOf: owner.id, expiresAt: start }))
    await world.directory.createKey(aKey(world, 'other', { sessionOf: 'admin_1' }))
    const audited = { action: 'session.end', by: { name: 'kim' } } as const
    const ended = await world.directory.endSessions(owner.id, start + 5, audited)
    assert.deepEqual(ended.map(({ hash, revokedAt }) => `${hash} ${revokedAt}`).toSorted(), [
      `s0 ${start + 5}`,
      `s1 ${start + 5}`,
    ])
    has(await world.directory.keyByHash('s1'), { revokedAt: start + 5 })
    has(await world.directory.keyByHash('other'), { revokedAt: null })
    has(await world.directory.keyByHash('owner'), { revokedAt: null })
    assert.deepEqual(await world.directory.endSessions(owner.id, start + 6, audited), [])
    const entries = await world.directory.audit({ action: 'session.end' }, { limit: 10, after: null })
    assert.deepEqual(
      entries.map(({ target, count }) => [target, count]),
      [[owner.id, 2]],
    )
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
    createdFrom: null,
    sessionOf: null,
    portal: null,
    ...change,
  }
}
