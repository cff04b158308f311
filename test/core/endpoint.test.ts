import { describe, expect, test } from 'vitest'
import { checkChannel, checkEndpoint, checkUid, checkUrl } from '../../src/core/endpoint/endpoint.ts'
import type { EndpointSettings } from '../../src/core/endpoint/endpoint.ts'
import { anEndpoint } from './examples.ts'
import { thrownBy } from './thrown.ts'

describe('checkUrl', () => {
  test.each(['https://example.com/hooks', 'http://127.0.0.1:8080', 'https://example.com/?token=1#a', 'https://[::1]/'])(
    'takes %s',
    (url) => {
      expect(checkUrl(url).href).toBe(new URL(url).href)
    },
  )

  test.each([
    ['a path', '/hooks', 'an absolute http(s) URL of at most 2000 characters, got "/hooks"'],
    ['nothing', '', 'got ""'],
    ['another scheme', 'ftp://example.com/', 'an http(s) URL, got "ftp://example.com/"'],
    ['a script', 'javascript:alert(1)', 'an http(s) URL, got "javascript:alert(1)"'],
    ['a port that is none', 'https://example.com:99999/', 'got "https://example.com:99999/"'],
    ['a very long one', `https://example.com/${'a'.repeat(2000)}`, 'at most 2000 characters'],
    ['a number', 7, 'got 7'],
    ['null', null, 'got null'],
  ])('refuses %s', (_, url, message) => {
    const error = thrownBy(() => checkUrl(url))
    expect(error.code).toBe('invalid_url')
    expect(error.message).toContain('Expected `url` to be ')
    expect(error.message).toContain(message)
    expect(error.message).toContain('Give the full URL of the receiver')
  })

  test.each([
    'https://user:hunter2@example.com/',
    'https://hunter2@example.com/',
    'ftp://user:hunter2@example.com/',
    'ftp://user:p@hunter2@example.com/',
    'https://user:hunter2@exa mple.com/',
  ])('refuses credentials without repeating them: %s', (url) => {
    const error = thrownBy(() => checkUrl(url))
    expect(error.code).toBe('invalid_url')
    expect(error.message).not.toContain('hunter2')
    expect(error.message).toContain('mple.com')
  })
})

describe('checkUid', () => {
  test.each(['acme', 'customer:7', 'a@b.example/x', 'app_1', 'x'.repeat(256)])('takes %s', (uid) => {
    expect(checkUid(uid)).toBe(uid)
  })

  test.each([
    ['nothing', ''],
    ['a space', 'a b'],
    ['a line break', 'a\n'],
    ['one that is too long', 'x'.repeat(257)],
    ['a number', 7],
    ['one that could be an id of ours', 'app_0000000000000000001'],
    ['one that could be the id of an attempt', 'atmpt_0000000110000000000000001'],
  ])('refuses %s by name', (_, uid) => {
    const error = thrownBy(() => checkUid(uid, 'application'))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain('Expected `application` to be 1 to 256 letters, digits or . _ : @ / -')
  })
})

test.each(['', 'a b', 'ä', 'x'.repeat(129), 7, undefined])('a channel named %j is refused', (channel) => {
  const error = thrownBy(() => checkChannel(channel))
  expect(error.code).toBe('invalid_argument')
  expect(error.message).toContain('Expected `channels` to be made of 1 to 128 letters, digits or . _ : -, got ')
})

describe('checkEndpoint', () => {
  test.each<[string, Partial<EndpointSettings>]>([
    ['the least there is', {}],
    ['filters', { types: ['invoice.paid', 'invoice.*', 'user.profile.*'], channels: ['project:7', 'eu-west'] }],
    ['headers', { headers: { Authorization: 'Bearer x', 'x-tab': 'a\tb', 'x-empty': '' } }],
    ['as many headers as may be', { headers: headersOf(50) }],
    ['as many filters as may be', { types: Array.from({ length: 200 }, () => 'a') }],
    ['the least and the most of a rate', { ratePerSecond: 1 }],
    ['the most of a rate', { ratePerSecond: 100_000 }],
    ['a body signature under a name of its own', { signature: 'body', bodyHeader: 'X-Gateway-Signature' }],
    ['a header under the name of a body signature that is off', { headers: { 'x-webhook-signature': '1' } }],
    ['a long description', { description: 'x'.repeat(1000) }],
    ['a uid', { uid: 'acme-1' }],
    ['metadata', { metadata: { plan: 'gold' } }],
    ['a filter', { filter: { path: 'data.amount', greater: 100 } }],
  ])('takes %s', (_, settings) => {
    expect(() => checkEndpoint(anEndpoint(settings))).not.toThrow()
  })

  test.each<[string, object, string, string]>([
    ['no URL', { url: 'nowhere' }, 'invalid_url', '`url`'],
    ['a bad uid', { uid: 'a b' }, 'invalid_argument', '`uid`'],
    ['a type with a space', { types: ['invoice paid'] }, 'invalid_event_type', '`types`'],
    ['a star alone', { types: ['*'] }, 'invalid_event_type', '`types`'],
    ['a star in the middle', { types: ['invoice.*.paid'] }, 'invalid_event_type', '`types`'],
    ['a type that is no text', { types: [7] }, 'invalid_event_type', '`types`'],
    ['types that are no list', { types: 'invoice.paid' }, 'invalid_argument', '`types` to be a list of at most 200'],
    ['too many types', { types: Array.from({ length: 201 }, () => 'a') }, 'invalid_argument', 'got an array of 201'],
    ['a bad channel', { channels: ['a b'] }, 'invalid_argument', '`channels`'],
    ['channels that are no list', { channels: null }, 'invalid_argument', '`channels` to be a list of at most 200'],
    ['headers that are no object', { headers: null }, 'invalid_header', 'an object of at most 50 headers, got null'],
    ['too many headers', { headers: headersOf(51) }, 'invalid_header', 'an object of at most 50 headers, got 51'],
    ['a header with a space', { headers: { 'x y': '1' } }, 'invalid_header', '`headers` to be named by'],
    ['a header without a name', { headers: { '': '1' } }, 'invalid_header', '`headers` to be named by'],
    [
      'a header that HTTP uses',
      { headers: { 'Content-Length': '1' } },
      'invalid_header',
      'got "Content-Length". Choose another name.',
    ],
    ['a header that names the host', { headers: { HOST: 'x' } }, 'invalid_header', 'got "HOST"'],
    ['a header that the signature uses', { headers: { 'Webhook-Id': 'x' } }, 'invalid_header', 'got "Webhook-Id"'],
    [
      'a body header that HTTP uses',
      { bodyHeader: 'host' },
      'invalid_header',
      'Expected `bodyHeader` to be free of names',
    ],
    ['a body header that is no text', { bodyHeader: 7 }, 'invalid_header', 'Expected `bodyHeader` to be named by'],
    [
      'a header that would leave twice',
      { signature: 'body', bodyHeader: 'x-sign', headers: { 'X-Sign': '1' } },
      'invalid_header',
      'free of the signature\'s own header, x-sign, got "X-Sign"',
    ],
    ['a filter that is none', { filter: { and: [{ path: 'a' }] } }, 'invalid_argument', '`filter.and[0]`'],
    ['metadata that is no table', { metadata: ['a'] }, 'invalid_argument', '`metadata`'],
    ['metadata that is no text', { metadata: { a: 7 } }, 'invalid_argument', '`metadata`'],
    ['too much metadata', { metadata: headersOf(51) }, 'invalid_argument', '`metadata`'],
    [
      'another signature',
      { signature: 'none' },
      'invalid_argument',
      '`signature` to be "standard" or "body", got "none"',
    ],
    [
      'a rate of nothing',
      { ratePerSecond: 0 },
      'invalid_argument',
      '`ratePerSecond` to be a whole number from 1 to 100000, got 0',
    ],
    ['half a delivery per second', { ratePerSecond: 0.5 }, 'invalid_argument', 'got 0.5'],
    ['a description that is too long', { description: 'x'.repeat(1001) }, 'invalid_argument', '`description`'],
    ['a description that is none', { description: 7 }, 'invalid_argument', '`description`'],
  ])('refuses %s', (_, settings, code, message) => {
    const error = thrownBy(() => checkEndpoint({ ...anEndpoint(), ...settings }))
    expect(error.code).toBe(code)
    expect(error.message).toContain('Expected `')
    expect(error.message).toContain(message)
  })

  test.each(['Bearer hunter2\r\nx: y', 'hunter2 ✓', 'hunter2\u0000', `hunter2${'x'.repeat(4096)}`])(
    'refuses a header value that HTTP cannot carry, by name and without repeating it',
    (value) => {
      const error = thrownBy(() => checkEndpoint(anEndpoint({ headers: { authorization: value } })))
      expect(error.code).toBe('invalid_header')
      expect(error.message).toContain(
        'Expected `headers.authorization` to be printable ASCII of at most 4096 characters',
      )
      expect(error.message).not.toContain('hunter2')
    },
  )
})

describe('checkEndpoint under a prefix of its own for the signature', () => {
  test.each<[string, Partial<EndpointSettings>, string]>([
    ['headers under the prefix in use', { headers: { 'Svix-Id': '1' } }, 'svix'],
    ['headers under the usual prefix, which may be in use again', { headers: { 'webhook-id': '1' } }, 'svix'],
    ['headers under the prefix of Svix, which receivers look for', { headers: { 'svix-signature': '1' } }, 'webhook'],
    ['a body signature under the prefix in use', { signature: 'body', bodyHeader: 'x-webhook-signature' }, 'x-webhook'],
  ])('refuses %s', (_, settings, prefix) => {
    expect(thrownBy(() => checkEndpoint(anEndpoint(settings), prefix)).code).toBe('invalid_header')
  })

  test.each<[string, Partial<EndpointSettings>, string]>([
    ['headers that only look alike', { headers: { 'svixen-id': '1' } }, 'svix'],
    ['headers under a prefix that is not in use', { headers: { 'hook-id': '1' } }, 'webhook'],
    ['a body header that is not sent', { signature: 'standard', bodyHeader: 'x-webhook-signature' }, 'x-webhook'],
  ])('takes %s', (_, settings, prefix) => {
    expect(() => checkEndpoint(anEndpoint(settings), prefix)).not.toThrow()
  })
})

function headersOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']))
}
