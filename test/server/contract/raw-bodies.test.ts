import { messageInRaw, Webhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { fieldsIn } from '../routes/world.ts'
import { contractWorld, secret } from './world.ts'

describe('a raw body', () => {
  test.each([
    ['an ordinary message of the Java client', '{"id":7, "total":1.0}', undefined],
    ['text', 'so "long"\n', 'text/plain; charset=utf-8'],
    ['XML', '<a b="é">😀</a>', 'application/xml'],
    ['an array of JSON', '[1, 2]', undefined],
    ['a form', 'a=1&b=2', 'application/x-www-form-urlencoded'],
  ])('is signed and sent as it is: %s', async (_, text, contentType) => {
    const { svix, received, ask } = await contractWorld()
    await ask(201, 'POST', '/app/other/endpoint', { url: 'https://raw.example/hooks', secret })
    await svix.endpoint.delete('other', 'foreign')
    const { id } = await svix.message.create('other', messageInRaw('a', text, contentType))
    const { body, headers } = await received(1)
    expect([body, headers['content-type']]).toEqual([text, contentType ?? 'application/json'])
    const signed = {
      'webhook-id': headers['webhook-id'] ?? '',
      'webhook-timestamp': headers['webhook-timestamp'] ?? '',
      'webhook-signature': headers['webhook-signature'] ?? '',
    }
    // The clock of this test stands at its own time: only the signature is compared.
    expect(new Webhook(secret).sign(id, new Date(Number(signed['webhook-timestamp']) * 1000), text)).toBe(
      signed['webhook-signature'],
    )
  })

  test('is shown as an object, whatever it is', async () => {
    const { svix, ask } = await contractWorld()
    const shown = async (text: string): Promise<unknown> => {
      const { id } = await svix.message.create('acme', messageInRaw('a', text))
      return (await ask(200, 'GET', `/app/acme/msg/${id}`))['payload']
    }
    expect(await shown('{"a":1}')).toEqual({ a: 1 })
    for (const text of ['so long', '[1]', '7', 'null', '"a"']) expect(await shown(text)).toEqual({ rawPayload: text })
  })

  test('may be as large as any other, however it is written in JSON', async () => {
    const { ask, posthorn } = await contractWorld()
    const text = '"'.repeat(1024 * 1024)
    const { id } = await ask(202, 'POST', '/app/acme/msg?with_content=false', {
      eventType: 'a',
      payload: {},
      transformationsParams: { rawPayload: text },
    })
    expect((await posthorn.messages.get('acme', String(id))).body).toHaveLength(1024 * 1024)
  })

  test('may say the same as the payload', async () => {
    const { ask, received } = await contractWorld()
    await ask(202, 'POST', '/app/acme/msg', {
      eventType: 'a',
      payload: { a: [1] },
      transformationsParams: { rawPayload: '{"a": [1.0]}' },
    })
    expect((await received(1)).body).toBe('{"a": [1.0]}')
  })

  const raw = ['body.transformationsParams.rawPayload']
  test.each([
    ['no text', { rawPayload: 7 }, {}, raw],
    ['an object', { rawPayload: { a: 1 } }, {}, raw],
    ['half of a surrogate pair', { rawPayload: '\ud800' }, {}, raw],
    ['another body than the payload', { rawPayload: '{"a":2}' }, { a: 1 }, raw],
    ['no JSON beside a payload', { rawPayload: 'a' }, { a: 1 }, raw],
    [
      'a content type that is none',
      { rawPayload: 'a', headers: { 'content-type': 'text' } },
      {},
      ['body.transformationsParams.headers.content-type'],
    ],
    [
      'a content type of two lines',
      { rawPayload: 'a', headers: { 'Content-Type': 'text/plain\r\nx-evil: 1' } },
      {},
      ['body.transformationsParams.headers.Content-Type'],
    ],
    [
      'a content type too long',
      { rawPayload: 'a', headers: { 'content-type': `text/plain; a=${'a'.repeat(200)}` } },
      {},
      ['body.transformationsParams.headers.content-type'],
    ],
    [
      'another header',
      { rawPayload: 'a', headers: { 'x-mine': '1' } },
      {},
      ['body.transformationsParams.headers.x-mine'],
    ],
  ])('is refused, and nothing is stored: %s', async (_, transformationsParams, payload, fields) => {
    const { ask } = await contractWorld()
    const body = { eventType: 'a', payload, transformationsParams, application: { name: 'New' } }
    expect(fieldsIn(await ask(422, 'POST', '/app/new/msg', body))).toEqual(fields)
    await ask(404, 'GET', '/app/new')
  })

  test('beyond a mebibyte is refused by its name', async () => {
    const { ask } = await contractWorld()
    const body = { eventType: 'a', payload: {}, transformationsParams: { rawPayload: 'x'.repeat(1024 * 1024 + 1) } }
    expect(await ask(413, 'POST', '/app/acme/msg', body)).toMatchObject({
      code: 'body_too_large',
      detail: expect.stringContaining('rawPayload'),
    })
    expect((await ask(200, 'GET', '/app/acme/msg'))['data']).toEqual([])
  })
})
