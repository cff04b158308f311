import { verifyBodySignature } from 'posthorn'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { Receipt } from '../../src/testing/receiver.ts'
import { databases } from '../acceptance/databases.ts'
import { makeWorld } from '../acceptance/world.ts'
import type { World } from '../acceptance/world.ts'
import { refusal } from './refusal.ts'

const second = 1_000
const hour = 3_600 * second
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } } as const

describe.each(databases)('endpoints ($name)', (database) => {
  test('one that is made has the settings given, the defaults of the preset, and a secret of its own', async () => {
    const { posthorn, clock } = await makeWorld(database)
    const given = {
      uid: 'erp',
      url: 'https://example.com/hooks?a=b',
      description: 'The ERP',
      types: ['invoice.*'],
      channels: ['eu'],
      headers: { 'x-tenant': '7' },
      policy: 'patient',
      signature: 'body',
      bodyHeader: 'x-hmac',
      ratePerSecond: 10,
    } as const
    const made = await posthorn.endpoints.create({ application: 'acme', ...given })
    expect(made).toMatchObject({ ...given, status: 'active', statusReason: null, createdAt: clock.now() })
    expect(made.secrets).toEqual([
      expect.objectContaining({ value: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), expiresAt: null }),
    ])
    expect(await posthorn.endpoints.get(made.id)).toEqual(made)
    expect(await posthorn.endpoints.get({ application: 'acme', uid: 'erp' })).toEqual(made)

    const plain = await posthorn.endpoints.create({ application: 'acme', url: 'https://example.com/' })
    expect(plain).toMatchObject({
      uid: null,
      types: [],
      channels: [],
      headers: {},
      policy: 'standard',
      signature: 'standard',
      ratePerSecond: null,
    })
    expect(plain.secrets[0]?.value).not.toBe(made.secrets[0]?.value)
  })

  test('a secret of your own is kept, and a uid that is taken is refused', async () => {
    const { posthorn } = await makeWorld(database)
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const made = await posthorn.endpoints.create({
      application: 'acme',
      uid: 'erp',
      url: 'https://example.com/',
      secret,
    })
    expect(made.secrets.map(({ value }) => value)).toEqual([secret])
    expect(
      await refusal(() => posthorn.endpoints.create({ application: 'acme', uid: 'erp', url: 'https://example.com/' })),
    ).toMatchObject({ code: 'already_exists' })
    await posthorn.endpoints.create({ application: 'umbrella', uid: 'erp', url: 'https://example.com/' })
  })

  test('a list is of one application or of all, page by page', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    const others: string[] = []
    for (let index = 0; index < 5; index += 1)
      others.push((await endpoints.create({ application: 'umbrella', url: 'https://example.com/' })).id)
    expect((await endpoints.list({ application: 'umbrella' })).map(({ id }) => id)).toEqual(others)
    expect((await endpoints.list()).map(({ id }) => id)).toEqual([world.endpoint.id, ...others].toSorted())
    const first = await endpoints.list({ application: 'umbrella' }, { limit: 2 })
    const rest = await endpoints.list({ application: 'umbrella' }, { limit: 3, after: first.at(-1)?.id ?? null })
    expect([...first, ...rest].map(({ id }) => id)).toEqual(others)
    expect(await refusal(() => endpoints.list({ application: 'nobody' }))).toMatchObject({ code: 'not_found' })
  })

  test('a change applies to the next attempt of what is on its way already', async () => {
    const world = await makeWorld(database)
    world.receiver.behave('/hook', 500)
    await world.start()
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    await world.posthorn.endpoints.update(world.endpoint.id, {
      url: world.receiver.url('/moved'),
      headers: { 'x-tenant': '7' },
    })
    await world.poll(60 * second)
    await world.poll()
    expect(world.receiver.receipts.map(({ path }) => path)).toEqual(['/hook', '/moved'])
    expect(world.receiver.receipts[1]?.headers['x-tenant']).toBe('7')
    expect(await world.rows()).toMatchObject([{ status: 'delivered', target_url: world.receiver.url('/moved') }])
    // What was not named stays as it was.
    expect(await world.posthorn.endpoints.get(world.endpoint.id)).toMatchObject({
      policy: 'standard',
      secrets: world.endpoint.secrets,
    })
  })

  test('a change of filters applies to the next send', async () => {
    const world = await makeWorld(database)
    await world.start()
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 1 })
    await world.posthorn.endpoints.update(world.endpoint.id, { types: ['user.*'] })
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 0 })
  })

  test('a paused endpoint collects, and gets what it collected when it is resumed', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    await world.start()
    expect(await endpoints.pause(world.endpoint.id, { by: 'kim' })).toMatchObject({
      status: 'paused',
      statusReason: 'by kim',
      statusSince: world.clock.now(),
    })
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 1 })
    await world.poll()
    expect(world.receiver.count).toBe(0)
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'pending', attempt_count: 0, lease_owner: null })
    expect(await world.posthorn.deliveries.why(String(row?.['id']))).toMatchObject({
      code: 'endpoint_paused',
      sentence: expect.stringContaining('by kim'),
    })

    expect(await endpoints.resume(world.endpoint.id)).toMatchObject({ status: 'active', statusReason: null })
    await world.poll()
    expect(world.receiver.count).toBe(1)
  })

  test('a disabled endpoint gets nothing new and nothing old, until it is enabled', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    await world.start()
    await endpoints.pause(world.endpoint.id)
    await world.posthorn.send(paid)
    expect(await endpoints.disable(world.endpoint.id)).toMatchObject({ status: 'disabled', statusReason: null })
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 0 })
    await world.poll()
    expect(world.receiver.count).toBe(0)
    await endpoints.enable(world.endpoint.id)
    await world.poll()
    expect(world.receiver.count).toBe(1)
  })

  test('the deliveries of a deleted endpoint end dead, gone, and it is not found any more', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    world.receiver.behave('/hook', 500)
    await world.start()
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    await endpoints.delete(world.endpoint.id)
    for (const call of [endpoints.get, endpoints.pause, endpoints.enable, endpoints.rotateSecret, endpoints.delete]) {
      expect(await refusal(() => call(world.endpoint.id))).toMatchObject({ code: 'not_found' })
    }
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 0 })
    await world.poll(60 * second)
    await world.poll()
    expect(world.receiver.count).toBe(1)
    expect(await world.rows()).toMatchObject([
      { status: 'dead', reason: 'gone', attempt_count: 1, next_retry_at: null },
    ])
    expect(world.heard('delivery.dead')).toMatchObject([{ reason: 'gone', webhook_id: world.endpoint.id }])
  })

  test('everything is done by application and uid as well as by id; a bare uid names nothing', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    const erp = { application: 'acme', uid: 'erp' }
    await endpoints.create({ ...erp, url: 'https://example.com/' })
    expect(await endpoints.update(erp, { description: 'new' })).toMatchObject({ description: 'new' })
    expect(await endpoints.pause(erp)).toMatchObject({ status: 'paused' })
    expect(await endpoints.resume(erp)).toMatchObject({ status: 'active' })
    expect((await endpoints.rotateSecret(erp)).secrets).toHaveLength(2)
    expect(await refusal(() => endpoints.get('erp'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => endpoints.get({ application: 'umbrella', uid: 'erp' }))).toMatchObject({
      code: 'not_found',
    })
    await endpoints.delete(erp)
    expect(await refusal(() => endpoints.get(erp))).toMatchObject({ code: 'not_found' })
  })

  test('an endpoint that is enabled again starts with a clean record', async () => {
    const world = await makeWorld(database)
    world.receiver.behave('/hook', 503)
    await world.start()
    for (let count = 0; count < 10; count += 1)
      await world.posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
    await world.posthorn.idle()
    await expect.poll(() => world.query('select holds from posthorn_endpoint_health')).toEqual([{ holds: 1 }])
    await world.posthorn.endpoints.disable(world.endpoint.id)
    await world.posthorn.endpoints.enable(world.endpoint.id)
    expect(await world.query('select holds, held_until, failing_since from posthorn_endpoint_health')).toEqual([
      { holds: 0, held_until: null, failing_since: null },
    ])
  })
})

describe.each(databases)('rotation ($name)', (database) => {
  test('during the overlap the old and the new secret both verify; then only the new one does', async () => {
    // Of today, because the independent verifier reads the machine's clock.
    const world = await makeWorld(database, { clock: manualClock(Date.now()) })
    await world.start()
    const old = world.endpoint.secrets[0]?.value ?? ''
    const rotated = await world.posthorn.endpoints.rotateSecret(world.endpoint.id, { overlapMs: 120 * second })
    const fresh = rotated.secrets[0]?.value ?? ''
    expect(rotated.secrets).toMatchObject([
      { value: fresh, expiresAt: null },
      { value: old, expiresAt: world.clock.now() + 120 * second },
    ])
    expect(fresh).not.toBe(old)

    const during = await received(world)
    expect([old, fresh].map((secret) => verifies(during, secret))).toEqual([true, true])
    await world.clock.advance(120 * second)
    const after = await received(world)
    expect([old, fresh].map((secret) => verifies(after, secret))).toEqual([false, true])
  })

  test('the overlap is a day if not given, none if 0, and a second rotation does not prolong the first', async () => {
    const { posthorn, endpoint, clock } = await makeWorld(database)
    const first = await posthorn.endpoints.rotateSecret(endpoint.id)
    expect(first.secrets.map(({ expiresAt }) => expiresAt)).toEqual([null, clock.now() + 24 * hour])
    await clock.advance(hour)
    const own = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
    const again = await posthorn.endpoints.rotateSecret(endpoint.id, { secret: own })
    expect(again.secrets).toMatchObject([
      { value: own, expiresAt: null },
      { expiresAt: clock.now() + 24 * hour },
      { expiresAt: clock.now() + 23 * hour },
    ])
    const third = await posthorn.endpoints.rotateSecret(endpoint.id, { overlapMs: 0 })
    expect(third.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > clock.now())).toHaveLength(1)
  })

  test('the body scheme, which has room for one signature, keeps the old secret until the overlap ends', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    await world.start()
    const old = world.endpoint.secrets[0]?.value ?? ''
    const rotated = await world.posthorn.endpoints.rotateSecret(world.endpoint.id, { overlapMs: 120 * second })
    const fresh = rotated.secrets[0]?.value ?? ''

    const during = await received(world)
    verifyBodySignature(during.body, during.headers, old)
    expect(() => verifyBodySignature(during.body, during.headers, fresh)).toThrow(/matches/)
    await world.clock.advance(120 * second)
    const after = await received(world)
    verifyBodySignature(after.body, after.headers, fresh)
    expect(() => verifyBodySignature(after.body, after.headers, old)).toThrow(/matches/)
  })
})

/** Sends a message and answers with what the receiver got. */
async function received(world: World): Promise<Receipt> {
  const { id } = await world.posthorn.send(paid)
  await world.poll()
  const receipt = world.receiver.receipts.find((candidate) => candidate.id === id)
  if (receipt === undefined) throw new Error(`${id} did not arrive`)
  return receipt
}

function verifies({ headers, body }: Receipt, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch (error) {
    expect(String(error)).toContain('No matching signature found')
    return false
  }
}
