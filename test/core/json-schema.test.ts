import { Validator } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../../src/core/json-schema/compile.ts'
import type { JsonSchema } from '../../src/core/json-schema/compile.ts'
import { problemIn } from '../../src/core/json-schema/evaluate.ts'

/** Patterns of these tests are harmless. */
function pattern(source: string): { cost: number; test: (text: string) => boolean } {
  return { cost: 1, test: (text) => new RegExp(source, 'u').test(text) }
}

function check(schema: JsonSchema, value: unknown): string | null {
  return problemIn(compileSchema(schema, pattern), value, 100_000)
}

/** Written as text: an object with a `then` looks like a promise. */
const conditional = JSON.parse(
  '{ "if": { "type": "string" }, "then": { "minLength": 2 }, "else": { "minimum": 5 } }',
) as JsonSchema

describe('a schema', () => {
  test.each<[JsonSchema, unknown, string | null]>([
    [{ type: 'integer' }, 7.5, '#: It is number, and must be integer.'],
    [{ type: ['string', 'null'] }, 7, '#: It is number, and must be string or null.'],
    [{ enum: [1, { a: [2] }] }, { a: [2] }, null],
    [{ enum: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11] }, 7, '#: It must be one of 1, 2, 3, 4, 5, 6, 8, 9 and 2 more.'],
    [{ const: null }, 0, '#: It must be null.'],
    [{ multipleOf: 0.1 }, 0.3, null],
    [{ multipleOf: 0.1 }, 0.35, '#: It is no multiple of 0.1.'],
    [{ minLength: 2 }, '😀', '#: It has 1 characters, fewer than 2.'],
    [{ maxLength: 1 }, '😀', null],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 7, { b: 2, a: 1 }], '#: Its items 0 and 2 are equal.'],
    [{ uniqueItems: true }, [1, '1', [1], true, null], null],
    [{ required: ['id'] }, {}, '#: The property "id" is missing.'],
    [{ properties: { 'a/b': { type: 'string' } } }, { 'a/b': 7 }, '#/a~1b: It is number, and must be string.'],
    [{ additionalProperties: false }, { a: 1 }, '#: The property "a" is not allowed.'],
    [{ patternProperties: { '^x': { type: 'string' } } }, { x1: 7 }, '#/x1: It is number, and must be string.'],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '#: The name "ab" is not allowed: It has 2 characters, more than 1.',
    ],
    [{ contains: { const: 7 }, maxContains: 1 }, [7, 7], '#: It contains 2 items of a kind of which it may have 1.'],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, null],
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { b: 1 },
      '#: The property "b" is not allowed.',
    ],
    [{ prefixItems: [{ type: 'string' }], unevaluatedItems: false }, ['a', 1], '#/1: Nothing is allowed here.'],
    [conditional, 'a', '#: It has 1 characters, fewer than 2.'],
    [conditional, 4, '#: It is not at least 5.'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '#: The property "b" is missing.'],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, '#: It is 2 of what it must be exactly one of.'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
      1,
      '#: It is not more than 1.',
    ],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: {} },
        $ref: '#/definitions/a',
        type: 'string',
      },
      7,
      null,
    ],
    [
      {
        $defs: { a: { $id: 'https://x.example/a', $defs: { b: { type: 'string' } } } },
        $ref: 'https://x.example/a#/$defs/b',
      },
      7,
      '#: It is number, and must be string.',
    ],
    [{ $defs: { a: { $anchor: 'here', type: 'string' } }, $ref: '#here' }, 7, '#: It is number, and must be string.'],
    [
      { components: { a: { $ref: '#/components/b' }, b: { type: 'string' } }, $ref: '#/components/a' },
      7,
      '#: It is number, and must be string.',
    ],
  ])('%j of %j', (schema, value, problem) => {
    expect(check(schema, value)).toBe(problem)
  })

  test.each<[string, readonly string[], readonly string[]]>([
    ['date', ['2024-02-29', '2026-12-31'], ['2026-02-29', '2026-13-01', '2026-1-1', '2026-00-10', '']],
    ['time', ['23:59:60Z', '12:00:00.5+01:00', '22:59:60-01:00'], ['24:00:00Z', '12:00:00', '12:60:00Z', '23:58:60Z']],
    ['date-time', ['2026-01-31T12:00:00Z'], ['2026-01-31', '2026-01-31T12:00:00', '2026-02-31T12:00:00Z']],
    ['duration', ['P1Y2M3DT4H5M6S', 'P4W', 'PT5M'], ['P', 'PT', '1D', 'P1D2H']],
    [
      'uri',
      ['https://a.example/b?c#d', 'urn:isbn:1', 'http://[::1]:80/'],
      ['/a', 'a b:c', 'http://[::1', 'http://a.example/%zz', 'a:b#c#d'],
    ],
    ['uri-reference', ['/a', '', '?q', '#f', '//a.example'], ['a b', '[', '\\']],
    ['uri-template', ['/a/{b}', '/{+b,c*}'], ['/a/{b', '/ {b}']],
    ['url', ['https://a.example/', 'http://10.0.0.1/'], ['mailto:a@b.example', 'https://', 'a']],
    [
      'email',
      ['a.b+c@d.example', '"a b"@c.example', 'a@[127.0.0.1]'],
      ['a', '@b', 'a..b@c.example', '.a@b.example', 'a@b_c'],
    ],
    ['hostname', ['a.example', 'xn--a-0'], ['-a', 'a-', 'a..b', 'a_b', '', `${'a'.repeat(64)}.b`]],
    ['ipv4', ['127.0.0.1', '255.255.255.255'], ['1.2.3', '256.1.1.1', '1.2.3.4.5', '1.2.3.4.']],
    ['ipv6', ['::1', '2001:db8::1', '::ffff:1.2.3.4'], [':::1', '1', 'fe80::1%eth0', '12345::']],
    ['uuid', ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g']],
    ['json-pointer', ['', '/a/~0b'], ['a', '/~2']],
    ['relative-json-pointer', ['0#', '1/a'], ['/a', '01']],
    ['regex', ['^a+$'], ['(', '\\Z']],
  ])('knows the format %s', (format, good, bad) => {
    for (const text of good) expect(check({ format }, text), text).toBeNull()
    for (const text of bad) expect(check({ format }, text), text).toBe(`#: It is not of the format ${format}.`)
  })

  test('is applied in so many steps, and no more', () => {
    const schema = compileSchema({ items: { type: 'integer' } }, pattern)
    const value = Array.from({ length: 10 }, () => 7)
    expect(problemIn(schema, value, 100)).toBeNull()
    expect(() => problemIn(schema, value, 10)).toThrow('it takes more than 10 steps')
  })

  test('agrees with an independent validator', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const theirs = new Validator(structuredClone(schema), '2020-12').validate(value).valid
        expect(check(schema, value) === null).toBe(theirs)
      }),
      { numRuns: 2_000 },
    )
  })
})

const names = fc.constantFrom('a', 'b', 'c')
const scalars = fc.constantFrom<unknown>(null, true, false, 0, 1, 2.5, -3, '', 'a', 'abc', '2026-01-31')
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
}))
const { schema: schemas } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const one = tie('schema')
  const several = fc.array(one, { minLength: 1, maxLength: 2 })
  const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string')
  const small = fc.integer({ min: 0, max: 3 })
  const keyword = fc.oneof(
    pair(['type'], fc.oneof(type, fc.array(type, { minLength: 1, maxLength: 2 }))),
    pair(['enum'], fc.array(values, { minLength: 1, maxLength: 3 })),
    pair(['const'], values),
    pair(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], fc.integer({ min: -3, max: 3 })),
    pair(['multipleOf'], fc.constantFrom(0.5, 2, 3)),
    pair(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], small),
    pair(['pattern'], fc.constantFrom('^a', 'c$', '^$', '\\d')),
    pair(['uniqueItems'], fc.boolean()),
    pair(['required'], fc.array(names, { maxLength: 2 })),
    pair(['dependentRequired'], fc.dictionary(names, fc.array(names, { maxLength: 2 }), { maxKeys: 2 })),
    pair(['patternProperties'], fc.dictionary(fc.constantFrom('a', '[bc]'), one, { maxKeys: 2 })),
    pair(['properties', 'dependentSchemas'], fc.dictionary(names, one, { maxKeys: 2 })),
    pair(['additionalProperties', 'propertyNames', 'contains', 'items', 'not', 'if', 'then', 'else'], one),
    pair(['allOf', 'anyOf', 'oneOf', 'prefixItems'], several),
    pair(['minContains', 'maxContains'], small),
  )
  const object = fc.array(keyword, { minLength: 1, maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))
  return { schema: fc.oneof({ maxDepth: 2 }, fc.boolean(), object) }
})

function pair(keywords: readonly string[], of: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> {
  return fc.tuple(fc.constantFrom(...keywords), of)
}
