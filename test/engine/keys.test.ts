import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { refusal } from './refusal.ts'
import { stores, worldOn } from './stores.ts'
import { engineWorld } from './world.ts'

const hour = 3_600_000

describe.each(stores)('keys on $name', (kind) => {
  test('a key is shown once, and kept as a hash only', async () => {
    const { posthorn, clock, store } = await worldOn(kind)
    const { key, token } = await posthorn.keys.create({ name: 'billing' })
    expect(token).toMatch(/^phk_[0-9a-z]{40}$/)
    const hash = createHash('sha256').update(token).digest('hex')
    const kept = {
      name: 'billing',
      applicationId: null,
      access: 'write',
      hash,
      hint: token.slice(0, 8),
      createdAt: clock.now(),
      expiresAt: null,
      revokedAt: null,
      createdFrom: 'library',
      sessionOf: null,
      portal: null,
    }
    expect(key).toEqual({ id: key.id, ...kept })
    expect(await store.directory.keyByHash(hash)).toEqual(key)
    expect(await posthorn.keys.find(token)).toEqual(key)
    expect(JSON.stringify(store.calls)).not.toContain(token)
  })

  test('a key for one application, to read, until a time, is just that', async () => {
    const { posthorn, clock } = await worldOn(kind)
    const { id } = await posthorn.applications.create({ uid: 'acme' })
    const expiresAt = clock.now() + hour
    const { key, token } = await posthorn.keys.create({
      name: 'portal',
      application: 'acme',
      access: 'read',
      expiresAt: new Date(expiresAt),
    })
    expect(key).toMatchObject({ applicationId: id, access: 'read', expiresAt })
    await clock.advance(hour - 1)
    expect(await posthorn.keys.find(token)).toEqual(key)
    // At its very end, though it was looked up a moment ago.
    await clock.advance(1)
    expect(await posthorn.keys.find(token)).toBeNull()
    expect(await posthorn.keys.list()).toEqual([])
  })

  test('keys are listed newest first, those of one application if asked for', async () => {
    const { posthorn, clock } = await worldOn(kind)
    await posthorn.applications.create({ uid: 'acme' })
    const { key: one } = await posthorn.keys.create({ name: 'one' })
    await clock.advance(1)
    const { key: two } = await posthorn.keys.create({ name: 'two', application: 'acme' })
    expect(await posthorn.keys.list()).toEqual([two, one])
    expect(await posthorn.keys.list({}, { limit: 1, order: 'ascending' })).toEqual([one])
    expect(await posthorn.keys.list({ application: 'acme' })).toEqual([two])
  })

  test('a revoked key is refused at once here, and within five seconds elsewhere', async () => {
    const world = await worldOn(kind)
    const { posthorn, clock } = world
    const other = world.second()
    const { key, token } = await posthorn.keys.create({ name: 'billing' })
    expect(await posthorn.keys.find(token)).toEqual(key)
    expect(await other.keys.find(token)).toEqual(key)
    const revoked = await posthorn.keys.revoke(key.id)
    expect(revoked).toEqual({ ...key, revokedAt: clock.now() })
    expect(await posthorn.keys.find(token)).toBeNull()
    await clock.advance(4_999)
    expect(await other.keys.find(token)).toEqual(key)
    await clock.advance(1)
    expect(await other.keys.find(token)).toBeNull()
    // Again is no error, and changes nothing.
    expect(await posthorn.keys.revoke(key.id)).toEqual(revoked)
  })
})

describe('looking up a key', () => {
  test('asks the store once in five seconds, of what there is and of what there is not', async () => {
    const { posthorn, clock, store } = engineWorld()
    const { token } = await posthorn.keys.create({ name: 'billing' })
    const asked = (): number => store.calls.filter(({ method }) => method === 'keyByHash').length
    for (let time = 0; time < 3; time += 1)
      await Promise.all([posthorn.keys.find(token), posthorn.keys.find('phk_unknown')])
    expect(asked()).toBe(2)
    await clock.advance(5_000)
    await Promise.all([posthorn.keys.find(token), posthorn.keys.find('phk_unknown')])
    expect(asked()).toBe(4)
  })

  test('does not remember a key that was read before it was revoked', async () => {
    const { posthorn, store } = engineWorld()
    const { key, token } = await posthorn.keys.create({ name: 'billing' })
    store.bend = async ({ method }, run) => {
      const answer = await run()
      // The answer is on its way while the key is revoked.
      if (method === 'keyByHash') {
        store.bend = (_, go) => go()
        await posthorn.keys.revoke(key.id)
      }
      return answer
    }
    await posthorn.keys.find(token)
    expect(await posthorn.keys.find(token)).toBeNull()
  })

  test('does not remember that the store was away', async () => {
    const { posthorn, store } = engineWorld()
    const { key, token } = await posthorn.keys.create({ name: 'billing' })
    store.bend = async () => {
      throw new Error('the store is away')
    }
    await expect(posthorn.keys.find(token)).rejects.toThrow('the store is away')
    store.bend = (_, run) => run()
    expect(await posthorn.keys.find(token)).toEqual(key)
  })

  test('forgets the oldest of very many, so that guesses cannot fill the memory', async () => {
    const { posthorn, store } = engineWorld()
    await posthorn.keys.find('phk_first')
    for (let guess = 0; guess < 10_000; guess += 1) await posthorn.keys.find(`phk_${guess}`)
    const before = store.calls.length
    await posthorn.keys.find('phk_9999')
    expect(store.calls).toHaveLength(before)
    await posthorn.keys.find('phk_first')
    expect(store.calls).toHaveLength(before + 1)
  })

  test.each(['', 'x'.repeat(257), 7, null, undefined])('finds nothing for %j', async (token) => {
    expect(await engineWorld().posthorn.keys.find(token as string)).toBeNull()
  })
})

describe('bad keys', () => {
  test.each<[string, object, string, string]>([
    ['no name', {}, 'invalid_argument', '`name`'],
    ['an empty name', { name: '' }, 'invalid_argument', '`name`'],
    ['another access', { name: 'a', access: 'admin' }, 'invalid_argument', '`access`'],
    ['an end in the past', { name: 'a', expiresAt: 0 }, 'invalid_argument', '`expiresAt`'],
    ['an end that is no time', { name: 'a', expiresAt: new Date('never') }, 'invalid_argument', '`expiresAt`'],
    ['an application that is not there', { name: 'a', application: 'nobody' }, 'not_found', '`application`'],
  ])('%s is refused', async (_, input, code, place) => {
    const { posthorn } = engineWorld()
    expect(await refusal(() => posthorn.keys.create(input as never))).toMatchObject({
      code,
      message: expect.stringContaining(`Expected ${place}`),
    })
  })

  test('a key that is not there cannot be revoked', async () => {
    const { posthorn } = engineWorld()
    expect(await refusal(() => posthorn.keys.revoke('key_0000000000000000001'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => posthorn.keys.revoke('billing'))).toMatchObject({ code: 'invalid_id' })
  })

  test('no two keys are alike, and every character of the alphabet is used', async () => {
    const { posthorn } = engineWorld()
    const tokens = new Set<string>()
    for (let count = 0; count < 100; count += 1) tokens.add((await posthorn.keys.create({ name: 'a' })).token)
    expect(tokens.size).toBe(100)
    expect(new Set([...tokens].flatMap((token) => token.slice(4).split(''))).size).toBe(32)
  })
})
