import { describe, expect, test } from 'vitest'
import { mostRequestBytes } from '../../src/server/http/request-body.ts'
import { makeGate } from '../engine/gate.ts'
import { serverWorld } from './world.ts'

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}

describe('a body', () => {
  test('of more than its limit is refused by what it says of itself, unread', async () => {
    const world = await serverWorld()
    let isRead = false
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const reply = await world.call('POST', '/api/v1/app', {
      body,
      headers: { 'content-length': String(mostRequestBytes + 1) },
    })
    expect(reply).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
    expect(isRead).toBe(false)
  })

  test('that does not tell its length is read only as far as the limit', async () => {
    const world = await serverWorld()
    let given = 0
    const part = new Uint8Array(64 * 1024).fill(0x20)
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += part.length
        controller.enqueue(part)
        if (given > 4 * mostRequestBytes) controller.close()
      },
    })
    expect(await world.call('POST', '/api/v1/app', { body })).toMatchObject({ status: 413 })
    expect(given).toBeLessThanOrEqual(mostRequestBytes + 4 * part.length)
  })

  test('of the limit is read', async () => {
    const world = await serverWorld()
    const json = JSON.stringify({ name: 'a' })
    const body = new Blob([json, ' '.repeat(mostRequestBytes - json.length)]).stream()
    expect(await world.call('POST', '/api/v1/app', { body })).toMatchObject({ status: 201 })
  })

  test('of more than 64 levels is refused, brackets in texts aside', async () => {
    const world = await serverWorld()
    const deep = (levels: number): Promise<unknown> =>
      world.call('POST', '/api/v1/app', { body: `{"name":"\\"${'['.repeat(99)}","x":${nested(levels - 1)}}` })
    expect(await deep(64)).toMatchObject({ status: 201 })
    expect(await deep(65)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body'], type: 'value_error.too_deep' }] },
    })
    expect(await deep(500_000)).toMatchObject({ status: 422 })
  })
})

describe('calls', () => {
  test('of one key beyond its rate are refused until it may call again', async () => {
    const world = await serverWorld({ rateLimitPerSecond: 2 })
    const other = await world.token()
    const get = (token?: string): Promise<{ status: number; headers: Headers }> =>
      world.call('GET', '/api/v1/app', token === undefined ? {} : { token })
    expect([(await get()).status, (await get()).status]).toEqual([200, 200])
    const refused = await get()
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await get(other)).status).toBe(200)
    await world.clock.advance(499)
    expect((await get()).status).toBe(429)
    await world.clock.advance(1)
    expect([(await get()).status, (await get()).status]).toEqual([200, 429])
  })

  test('without a limit are not counted', async () => {
    const world = await serverWorld({ rateLimitPerSecond: 0 })
    for (let count = 0; count < 600; count += 1) expect((await world.call('GET', '/api/v1/app')).status).toBe(200)
  })

  test('beyond what may be under way are refused, but not questions of health', async () => {
    const world = await serverWorld({ mostInFlight: 1 })
    const gate = makeGate()
    const list = world.posthorn.applications.list
    world.posthorn.applications.list = async (page) => {
      await gate.opened
      return list(page)
    }
    const first = world.call('GET', '/api/v1/app')
    const second = await world.call('GET', '/api/v1/app')
    expect(second).toMatchObject({ status: 503, body: { code: 'overloaded' } })
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await world.call('GET', '/api/v1/health', { token: null })).toMatchObject({ status: 204 })
    gate.open()
    expect((await first).status).toBe(200)
    expect((await world.call('GET', '/api/v1/app')).status).toBe(200)
  })
})
