import { expect, test } from 'vitest'
import { checkPublicUrl, isSecure, originOf, pathOf, searchOf } from '../../src/server/http/url.ts'

test.each([
  'http://localhost:8071/',
  'http://localhost:8071/?',
  'http://127.0.0.1:8071/api/v1/app?limit=1',
  'http://[::1]:8071//api/v1/app?limit=1&x=/a?b',
  'https://a.example/p#?no=search',
  'https://a.example/p?yes=search#?no=search',
  'https://a.example/a%3Fb/%23',
  'https://a.example/?//b.example/c',
])('the parts of %s, which was checked, are those that `new URL` finds', (url) => {
  const { href, origin, pathname, search } = new URL(url)
  expect(href).toBe(url)
  // A question mark with nothing after it is part of the URL, and no search.
  expect([originOf(url), pathOf(url), searchOf(url).replace(/^\?$/, '')]).toEqual([origin, pathname, search])
})

test.each<[string, Record<string, string>, boolean]>([
  ['http://hooks.example/x', {}, false],
  ['https://hooks.example/x', {}, true],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'https' }, true],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'https, http' }, true],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'http' }, false],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'httpsx' }, false],
  ['http://hooks.example/x', { origin: 'https://hooks.example' }, true],
])('whether %s with %o comes over TLS: %s', (url, headers, isTls) => {
  expect(isSecure(new Request(url, { headers }))).toBe(isTls)
})

test.each([
  ['https://hooks.example', 'https://hooks.example'],
  ['https://hooks.example/', 'https://hooks.example'],
  ['http://10.0.0.7:8071/posthorn/', 'http://10.0.0.7:8071/posthorn'],
])('links that are to begin with %s begin with %s', (given, begins) => {
  expect(checkPublicUrl(given)).toBe(begins)
})

test.each(['hooks.example', 'ftp://hooks.example', 'https://me:secret@hooks.example', 'https://a.example/?x=secret'])(
  'no link can begin with %s',
  (given) => {
    const check = (): unknown => checkPublicUrl(given, 'POSTHORN_PUBLIC_URL')
    expect(check).toThrow('POSTHORN_PUBLIC_URL')
    expect(check).not.toThrow('secret')
  },
)
