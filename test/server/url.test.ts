import { expect, test } from 'vitest'
import { isSecure, originOf, pathOf, publicOrigin, searchOf } from '../../src/server/http/url.ts'

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

test.each<[string, Record<string, string>, string]>([
  ['http://hooks.example/x', {}, 'http://hooks.example'],
  ['https://hooks.example/x', {}, 'https://hooks.example'],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'https' }, 'https://hooks.example'],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'https, http' }, 'https://hooks.example'],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'http' }, 'http://hooks.example'],
  ['http://hooks.example/x', { 'x-forwarded-proto': 'httpsx' }, 'http://hooks.example'],
  ['http://hooks.example/x', { origin: 'https://hooks.example' }, 'https://hooks.example'],
])('%s with %o is reached at %s', (url, headers, origin) => {
  const request = new Request(url, { headers })
  expect([publicOrigin(request), isSecure(request)]).toEqual([origin, origin.startsWith('https:')])
})
