import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import type { PosthornOptions } from '../../src/posthorn.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { keyedVault, readRing } from '../../src/stores/shared/secrets.ts'
import { databases, securityDatabase } from './databases.ts'

const [first = '', second = ''] = [1, 2].map(() => randomBytes(32).toString('base64'))

describe('a ring of keys', () => {
  test('is given as text with commas or lines, as a list, or as one key', () => {
    const keys = [first, second].map((key) => Buffer.from(key, 'base64'))
    for (const given of [
      `${first},${second}`,
      ` ${first} , ${second}\n`,
      `${first}\n${second}\n`,
      [first, second],
      keys,
    ])
      expect(readRing(given)).toEqual(keys)
    expect(readRing(first)).toEqual(keys.slice(0, 1))
  })

  test.each(['', ',', `${first},short`, [], [first, '']])('is refused if one of them is no key: %j', (given) => {
    expect(() => readRing(given)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  test('seals with the first, and opens what any of them has sealed', () => {
    const [both, newest, older] = [readRing([first, second]), readRing(first), readRing(second)].map(keyedVault) as [
      ReturnType<typeof keyedVault>,
      ReturnType<typeof keyedVault>,
      ReturnType<typeof keyedVault>,
    ]
    expect(newest.open('ep_a', 'headers', both.seal('ep_a', 'headers', 'x'))).toBe('x')
    expect(both.open('ep_a', 'headers', older.seal('ep_a', 'headers', 'x'))).toBe('x')
    expect(() => newest.open('ep_a', 'headers', older.seal('ep_a', 'headers', 'x'))).toThrow(
      `sealed with key ${newest.keyId}, got one sealed with key ${older.keyId}`,
    )
  })
})

describe.each(databases)('a ring without the key of a row on %s', (kind) => {
  async function world() {
    const database = await securityDatabase(kind)
    const clock = manualClock()
    const transport = scriptedTransport(clock)
    const open = (store: Store, more: Partial<PosthornOptions> = {}): Posthorn => {
      const posthorn = new Posthorn({ store, clock, transport, ...more })
      onTestFinished(() => posthorn.stop({ graceMs: 0 }))
      return posthorn
    }
    const before = open(database.store(second))
    const headers = { authorization: 'Bearer old' }
    const { id } = await before.endpoints.create({ application: 'acme', url: 'https://acme.example/old', headers })
    await before.send({ application: 'acme', type: 'invoice.paid', data: { id: 1 } })
    await before.stop()
    // A newer row that opens: only then does a store without the older key open at all.
    await clock.advance(1)
    const both = open(database.store([first, second]))
    await both.endpoints.create({ application: 'globex', url: 'https://globex.example/new' })
    await both.stop()
    return { database, clock, transport, open, id }
  }

  test('loses nothing: the delivery waits, says why, and leaves once the key is back', async () => {
    const { database, clock, transport, open, id } = await world()
    const without = open(database.store(first))
    const warnings: string[] = []
    without.on('warning', ({ message }) => void (message.includes(id) && warnings.push(message)))
    await without.start()
    await without.send({ application: 'globex', type: 'invoice.paid', data: {} })
    for (let ticks = 0; ticks < 3; ticks += 1) {
      await clock.advance(5_000)
      await without.idle()
    }
    expect(transport.requests.map(({ url }) => url)).toEqual(['https://globex.example/new'])
    const [delivery] = await without.deliveries.list({ endpointId: id })
    expect(delivery).toMatchObject({ status: 'pending', attemptCount: 0 })
    const { why } = await without.deliveries.detail(delivery?.id ?? '')
    expect(why).toMatchObject({
      code: 'secrets_unreadable',
      sentence: expect.stringMatching(
        /^Waiting, .* got one sealed with key [0-9a-f]{8}\. Give that key as `secretsKey`/,
      ),
    })
    expect(warnings).toEqual([expect.stringContaining('its deliveries wait')])
    await without.stop()

    await open(database.store([first, second])).start()
    await expect.poll(() => transport.requests.length).toBe(2)
    expect(transport.requests[1]?.headers).toMatchObject({ authorization: 'Bearer old' })
  })

  test('shows all endpoints, and changes them without losing what it cannot open', async () => {
    const { database, open, id } = await world()
    const without = open(database.store(first))
    expect((await without.endpoints.list()).map(({ url }) => url)).toEqual([
      'https://acme.example/old',
      'https://globex.example/new',
    ])
    await expect(without.endpoints.revealSecret(id)).rejects.toMatchObject({ code: 'secrets_unreadable' })
    await without.endpoints.update(id, { description: 'changed meanwhile' })
    await without.endpoints.pause(id)
    await without.stop()
    const whole = await open(database.store([first, second])).endpoints.get(id)
    expect(whole).toMatchObject({
      description: 'changed meanwhile',
      status: 'paused',
      headers: { authorization: 'Bearer old' },
    })
    expect(whole.secrets).toHaveLength(1)
  })
})
