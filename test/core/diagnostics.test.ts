import { describe, expect, test } from 'vitest'
import { diagnosticsOf, mostHeaderBytes } from '../../src/core/delivery/diagnostics.ts'
import type { Sent, Timing, Wire } from '../../src/core/delivery/diagnostics.ts'

const timing: Timing = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, totalMs: 10, reused: false }
const wire = (headers: Wire['headers']): Wire => ({ timing, address: '192.0.2.7', headers })
const sent = (more: Partial<Sent> = {}): Sent => ({
  url: 'https://acme.example/hooks',
  headers: { 'content-type': 'application/json' },
  hidden: [],
  ...more,
})
const kept = (headers: Record<string, string>, request: Sent = sent()) =>
  diagnosticsOf(request, wire(headers)).responseHeaders

test('of a request that never reached a transport only its headers are known', () => {
  expect(diagnosticsOf(sent(), null)).toEqual({
    timing: null,
    address: null,
    requestHeaders: { headers: { 'content-type': 'application/json' }, sensitive: [] },
    responseHeaders: null,
    omittedHeaders: 0,
  })
})

test('times and address are kept as they are', () => {
  expect(diagnosticsOf(sent(), wire(null))).toMatchObject({ timing, address: '192.0.2.7', responseHeaders: null })
})

test.each([
  ['content-type', 'shown'],
  ['webhook-signature', 'shown'],
  ['traceparent', 'shown'],
  ['Authorization', 'sensitive'],
  ['cookie', 'sensitive'],
  ['X-Api-Key', 'sensitive'],
  ['X-Tenant', 'sensitive'],
] as const)('of %s in a request the value is %s', (name, kind) => {
  const { requestHeaders } = diagnosticsOf(sent({ headers: { [name]: 'a value' }, hidden: ['x-tenant'] }), null)
  const sensitive = kind === 'shown' ? ['x-tenant'] : [...new Set([name, 'x-tenant'])]
  expect(requestHeaders.headers).toEqual(kind === 'shown' ? { [name]: 'a value' } : {})
  expect(requestHeaders.sensitive.map((each) => each.toLowerCase())).toEqual([
    ...new Set(sensitive.map((each) => each.toLowerCase())),
  ])
})

describe('of a response', () => {
  test.each(['set-cookie', 'Authorization', 'x-session-token', 'X-API-Key'])('%s is only named', (name) => {
    expect(kept({ [name]: 'abc', server: 'nginx' })).toEqual({ headers: { server: 'nginx' }, sensitive: [name] })
  })

  test.each([
    ['a header of the endpoint', { headers: { 'x-tenant': 'planted' }, hidden: ['X-Tenant'] }, 'got planted!'],
    ['a credential behind its scheme', { headers: { authorization: 'Bearer planted' } }, 'planted'],
    ['a value of the query', { url: 'https://acme.example/?key=planted' }, 'https://acme.example/planted'],
    ['an encoded value of the query', { url: 'https://acme.example/?key=pl%C3%A4nted' }, 'pläntedX'],
  ])('a value that repeats %s is not kept', (_what, request, value) => {
    expect(kept({ 'x-echo': value, server: 'nginx' }, sent(request))).toEqual({
      headers: { server: 'nginx' },
      sensitive: ['x-echo'],
    })
  })

  test('a redirect is kept without its query', () => {
    expect(kept({ location: 'https://acme.example/new?key=abc&x=1#there' })?.headers).toEqual({
      location: 'https://acme.example/new?***',
    })
  })

  test('no more is kept than 4 KiB, request and response together, and what is left out is counted', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'ä'.repeat(50)]))
    const { requestHeaders, responseHeaders, omittedHeaders } = diagnosticsOf(sent({ headers: many }), {
      ...wire({ long: 'x'.repeat(5_000), ...many }),
    })
    const keptHeaders = [requestHeaders, responseHeaders].map((each) => Object.entries(each?.headers ?? {}))
    const bytes = Buffer.byteLength(
      keptHeaders
        .flat()
        .map(([name, value]) => `${name}: ${value}`)
        .join(''),
    )
    expect(bytes).toBeLessThanOrEqual(mostHeaderBytes)
    expect(bytes).toBeGreaterThan(mostHeaderBytes * 0.8)
    expect(keptHeaders.every((each) => each.length > 10)).toBe(true)
    expect(responseHeaders?.headers).not.toHaveProperty('long')
    expect(omittedHeaders).toBe(201 - keptHeaders.flat().length)
  })
})
