import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutValue } from '../../src/server/request/json-value-bytes.ts'

describe('cutting a value out of JSON', () => {
  test.each([
    [
      'numbers as they are written',
      '{"payload":{"id":12345678901234567890,"x":1.0}}',
      '{"id":12345678901234567890,"x":1.0}',
    ],
    [
      'white space inside, none around',
      '{ "a" : 1 ,\n\t"payload" :\r\n { "b" : [ 1 , 2 ] } \n}',
      '{ "b" : [ 1 , 2 ] }',
    ],
    [
      'braces and quotes within strings',
      String.raw`{"x":"}\"{","payload":{"s":"\\\"]}"},"y":"\\"}`,
      String.raw`{"s":"\\\"]}"}`,
    ],
    ['an escaped key', String.raw`{"pay\u006coad":{"a":1}}`, '{"a":1}'],
    ['the last of keys that repeat', '{"payload":{"a":1},"payload":{"b":2}}', '{"b":2}'],
    [
      'the last of keys that repeat under another spelling',
      String.raw`{"payload":{"a":1},"\u0070ayload":{"b":2},"z":0}`,
      '{"b":2}',
    ],
    ['only the top level', '{"other":{"payload":1},"payload":{"c":{"payload":3}}}', '{"c":{"payload":3}}'],
    ['a bare number at the end', '{"payload":-1.50e+3}', '-1.50e+3'],
    ['a word before a comma', '{"payload":true ,"a":1}', 'true'],
    ['a string', '{"payload":"a,}b"}', '"a,}b"'],
    ['what comes after a byte order mark', '\uFEFF{"payload":[1]}', '[1]'],
    ['letters beyond ASCII', '{"größe":1,"payload":{"straße":"😀"}}', '{"straße":"😀"}'],
  ])('keeps %s', (_name, json, cut) => {
    expect(text(cutValue(Buffer.from(json), 'payload'))).toBe(cut)
  })

  test.each(['{}', '{"payloads":1}', '{"a":"payload"}', '{"a":{"payload":1}}', '[1]', ''])(
    'finds nothing in %s',
    (json) => {
      expect(cutValue(Buffer.from(json), 'payload')).toBeNull()
    },
  )

  test('cuts exactly what JSON.parse reads under that key, however the JSON is written', () => {
    const key = fc.oneof(fc.constantFrom('payload', 'payloa', 'payload2', '"payload"', '\\'), fc.string())
    const body = fc.array(fc.tuple(key, fc.jsonValue({ maxDepth: 5 })), { maxLength: 6 })
    fc.assert(
      fc.property(body, fc.constantFrom('', ' ', '\n\t '), fc.boolean(), (entries, space, escapes) => {
        const json = `${space}{${entries.map(([name, value]) => `${space}${written(name, escapes)}${space}:${space}${JSON.stringify(value, null, space)}${space}`).join(',')}}${space}`
        const parsed = JSON.parse(json) as Record<string, unknown>
        const cut = text(cutValue(Buffer.from(json), 'payload'))
        expect(cut === null ? undefined : JSON.parse(cut)).toEqual(
          Object.hasOwn(parsed, 'payload') ? parsed['payload'] : undefined,
        )
        expect(cut?.trim()).toBe(cut ?? undefined)
      }),
      { numRuns: 1000 },
    )
  })

  test('takes any depth without a stack of its own', () => {
    expect(cutValue(Buffer.from(`{"payload":${'['.repeat(500_000)}${']'.repeat(500_000)}}`), 'payload')).toHaveLength(
      1_000_000,
    )
  })

  test('ends on bytes that are no JSON', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
        const bytes = Buffer.concat([Buffer.from('{"payload":'), noise])
        expect(() => {
          try {
            cutValue(bytes, 'payload')
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error
          }
        }).not.toThrow()
      }),
    )
  })
})

function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString()
}

/** The same string, perhaps with every letter escaped. */
function written(name: string, escapes: boolean): string {
  if (!escapes) return JSON.stringify(name)
  return `"${[...Array(name.length).keys()].map((place) => `\\u${name.charCodeAt(place).toString(16).padStart(4, '0')}`).join('')}"`
}
