import { expect, test } from 'vitest'
import { checkUrl } from '../../src/core/endpoint/endpoint.ts'
import { urlOf } from '../../src/core/url.ts'

test.each([
  ['https://hooks.example/', 'https://hooks.example/'],
  ['HTTPS://Hooks.Example', 'https://hooks.example/'],
  ['https://münchen.example/für', 'https://xn--mnchen-3ya.example/f%C3%BCr'],
  ['https://例え.example/', 'https://xn--r8jz45g.example/'],
  ['hooks.example', undefined],
  ['https://', undefined],
  ['https://exa mple/', undefined],
  ['', undefined],
])('%s is read as %s', (text, href) => {
  expect(urlOf(text)?.href).toBe(href)
})

test('a name with an umlaut is a URL however often it was checked before', () => {
  let refusals = 0
  for (let count = 0; count < 20_000; count += 1) {
    try {
      checkUrl('https://münchen.example/')
    } catch {
      refusals += 1
    }
  }
  expect(refusals).toBe(0)
})
