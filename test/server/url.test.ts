import { assert, property, webUrl } from 'fast-check'
import { expect, test } from 'vitest'
import { originOf, pathOf, searchOf } from '../../src/server/url.ts'

test('the parts of a URL that was checked are those that `new URL` finds', () => {
  assert(
    property(webUrl({ withFragments: true, withQueryParameters: true, authoritySettings: { withPort: true, withIPv4: true, withIPv6: true } }), (given) => {
      const { href, origin, pathname, search } = new URL(given)
      // A question mark with nothing after it is part of the URL, and no search.
      expect([originOf(href), pathOf(href), searchOf(href).replace(/^\?$/, '')]).toEqual([origin, pathname, search])
    }),
  )
})

test.each([
  ['http://localhost:8071/', 'http://localhost:8071', '/', ''],
  ['http://[::1]:8071//api/v1/app?limit=1&x=/a?b', 'http://[::1]:8071', '//api/v1/app', '?limit=1&x=/a?b'],
  ['https://a.example/p#?no=search', 'https://a.example', '/p', ''],
])('the parts of %s', (url, origin, path, search) => {
  expect([originOf(url), pathOf(url), searchOf(url)]).toEqual([origin, path, search])
})
