import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFilter, deepestFilter, matches, mostConditions } from '../../src/core/message/payload-filter.ts'
import type { PayloadFilter } from '../../src/core/message/payload-filter.ts'
import { thrownBy } from './thrown.ts'

const body = {
  type: 'invoice.paid',
  data: {
    amount: 120,
    currency: 'EUR',
    paid: true,
    note: null,
    items: [{ sku: 'a-1' }, { sku: 'b-2' }],
    'odd.name': 7,
    at: '2026-03-01T10:00:00Z',
    empty: {},
  },
}

describe('matches', () => {
  const table: readonly (readonly [PayloadFilter, boolean])[] = [
    [{ path: 'data.currency', equals: 'EUR' }, true],
    [{ path: 'data.currency', equals: 'eur' }, false],
    [{ path: '$.data.currency', equals: 'EUR' }, true],
    [{ path: 'data.amount', equals: 120 }, true],
    [{ path: 'data.amount', equals: '120' }, false],
    [{ path: 'data.paid', equals: true }, true],
    [{ path: 'data.note', equals: null }, true],
    [{ path: 'data.missing', equals: null }, false],
    [{ path: 'data.empty', equals: null }, false],
    [{ path: 'data.currency', in: ['USD', 'EUR'] }, true],
    [{ path: 'data.currency', in: ['USD'] }, false],
    [{ path: 'data.missing', in: [null] }, false],
    [{ path: 'data.note', exists: true }, true],
    [{ path: 'data.missing', exists: true }, false],
    [{ path: 'data.missing', exists: false }, true],
    [{ path: 'data.note', exists: false }, false],
    [{ path: '$', exists: true }, true],
    [{ path: 'type', prefix: 'invoice.' }, true],
    [{ path: 'type', prefix: 'user.' }, false],
    [{ path: 'data.amount', prefix: '1' }, false],
    [{ path: 'data.amount', greater: 119.5 }, true],
    [{ path: 'data.amount', greater: 120 }, false],
    [{ path: 'data.amount', greater: '1' }, false],
    [{ path: 'data.amount', less: 121 }, true],
    [{ path: 'data.amount', less: 120 }, false],
    [{ path: 'data.missing', less: 121 }, false],
    [{ path: 'data.paid', greater: 0 }, false],
    [{ path: 'data.at', greater: '2026-02-28T23:59:59Z' }, true],
    [{ path: 'data.at', less: '2026-02-28T23:59:59Z' }, false],
    [{ path: 'data.items[1].sku', equals: 'b-2' }, true],
    [{ path: 'data.items.0.sku', equals: 'a-1' }, true],
    [{ path: 'data.items[2].sku', exists: true }, false],
    [{ path: 'data.items.length', exists: true }, false],
    [{ path: 'data["odd.name"]', equals: 7 }, true],
    [{ path: '$["data"]["odd.name"]', equals: 7 }, true],
    [{ path: 'data.odd.name', exists: true }, false],
    [{ path: 'constructor', exists: true }, false],
    [{ path: 'data.__proto__', exists: true }, false],
    [{ path: 'data.currency.length', exists: true }, false],
    [
      {
        and: [
          { path: 'data.amount', greater: 100 },
          { path: 'data.currency', equals: 'EUR' },
        ],
      },
      true,
    ],
    [
      {
        and: [
          { path: 'data.amount', greater: 100 },
          { path: 'data.currency', equals: 'USD' },
        ],
      },
      false,
    ],
    [
      {
        or: [
          { path: 'data.amount', greater: 1_000 },
          { path: 'data.currency', equals: 'EUR' },
        ],
      },
      true,
    ],
    [
      {
        or: [
          { path: 'data.amount', greater: 1_000 },
          { path: 'data.currency', equals: 'USD' },
        ],
      },
      false,
    ],
    [{ not: { path: 'data.currency', equals: 'USD' } }, true],
    [{ not: { path: 'data.missing', equals: 'USD' } }, true],
    [{ not: { path: 'data.currency', equals: 'EUR' } }, false],
  ]

  test.each(table.map(([filter, wanted]) => [JSON.stringify(filter), wanted, filter] as const))(
    '%s is %s',
    (_, wanted, filter) => {
      checkFilter(filter)
      expect(matches(filter, body)).toBe(wanted)
    },
  )

  test('what is own to the body counts, even under the name of something inherited', () => {
    expect(matches({ path: '__proto__', equals: 1 }, JSON.parse('{"__proto__":1}'))).toBe(true)
  })

  test('not undoes not, and and/or follow De Morgan, whatever the body is', () => {
    fc.assert(
      fc.property(aFilter, aFilter, fc.jsonValue(), (one, other, value) => {
        const [left, right] = [matches(one, value), matches(other, value)]
        expect(matches({ not: { not: one } }, value)).toBe(left)
        expect(matches({ and: [one, other] }, value)).toBe(left && right)
        expect(matches({ or: [one, other] }, value)).toBe(left || right)
        expect(matches({ not: { and: [one, other] } }, value)).toBe(
          matches({ or: [{ not: one }, { not: other }] }, value),
        )
      }),
    )
  })

  test('a value is found by the path of names and indexes that leads to it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.nat({ max: 3 })), { maxLength: 5 }),
        fc.integer(),
        (steps, leaf) => {
          const value = steps.reduceRight<unknown>(
            (inner, step) => (typeof step === 'number' ? withItem(step, inner) : withName(step, inner)),
            leaf,
          )
          const path = `$${steps.map((step) => `[${JSON.stringify(step)}]`).join('')}`
          if (path.length > 500) return
          checkFilter({ path, equals: leaf })
          expect(matches({ path, equals: leaf }, value)).toBe(true)
          expect(matches({ path, equals: leaf + 1 }, value)).toBe(false)
        },
      ),
    )
  })
})

describe('checkFilter', () => {
  test.each<readonly [string, unknown, string]>([
    ['nothing', null, '`filter`'],
    ['a list', [], '`filter`'],
    ['an empty object', {}, '`filter`'],
    ['an unknown operator', { path: 'a', matches: 'x' }, 'path, matches'],
    ['two operators', { path: 'a', equals: 1, less: 2 }, 'path, equals, less'],
    ['a join beside a condition', { and: [{ path: 'a', exists: true }], path: 'b', equals: 1 }, 'and, path, equals'],
    ['an empty and', { and: [] }, '`filter.and`'],
    ['an or that is no list', { or: { path: 'a', exists: true } }, '`filter.or`'],
    [
      'a bad condition deep inside',
      { and: [{ path: 'a', exists: true }, { not: { or: [{ path: 'b', exists: 1 }] } }] },
      '`filter.and[1].not.or[0].exists`',
    ],
    ['an object to compare with', { path: 'a', equals: {} }, '`filter.equals`'],
    ['NaN to compare with', { path: 'a', equals: Number.NaN }, '`filter.equals`'],
    ['true as a bound', { path: 'a', greater: true }, '`filter.greater`'],
    ['no choices', { path: 'a', in: [] }, '`filter.in`'],
    ['a list within the choices', { path: 'a', in: [[1]] }, '`filter.in`'],
    ['a number as a prefix', { path: 'a', prefix: 1 }, '`filter.prefix`'],
    ['a text that is too long', { path: 'a', equals: 'x'.repeat(1_001) }, '`filter.equals`'],
    ...[
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      'a b',
      'a[',
      'a[x]',
      'a[-1]',
      'a["x]',
      "a['x']",
      'a[0]b',
      '$.',
      '$..a',
      7,
      'x'.repeat(501),
    ].map((path) => [`the path ${String(path).slice(0, 20)}`, { path, exists: true }, '`filter.path`'] as const),
  ])('refuses %s, and says where', (_, filter, place) => {
    const error = thrownBy(() => checkFilter(filter))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain(place)
  })

  test('refuses a filter one level too deep, and takes the deepest allowed', () => {
    expect(() => checkFilter(nested(deepestFilter))).not.toThrow()
    expect(thrownBy(() => checkFilter(nested(deepestFilter + 1))).message).toContain(`at most ${deepestFilter} deep`)
  })

  test('refuses one condition too many over the whole tree, the joins counted', () => {
    expect(() => checkFilter(wide(mostConditions))).not.toThrow()
    expect(thrownBy(() => checkFilter({ and: [wide(60), wide(40)] })).message).toContain(
      `at most ${mostConditions} conditions`,
    )
  })

  test('takes every filter that is one, and throws nothing but its own error at anything else', () => {
    fc.assert(fc.property(aFilter, (filter) => checkFilter(filter)))
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        try {
          checkFilter(anything)
        } catch (error) {
          expect(error).toMatchObject({ name: 'PosthornError', code: 'invalid_argument' })
        }
      }),
    )
  })
})

const path = fc.oneof(
  fc.constantFrom('a', 'a.b', '$', 'a[0]', '["x y"]', '$.a.b[1].c'),
  fc.stringMatching(/^[a-c](\.[a-c]){0,2}$/),
)
const scalar = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(null))
const bound = fc.oneof(fc.string({ maxLength: 5 }), fc.integer())
const condition: fc.Arbitrary<PayloadFilter> = fc.oneof(
  fc.record({ path, equals: scalar }),
  fc.record({ path, in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ path, exists: fc.boolean() }),
  fc.record({ path, prefix: fc.string({ maxLength: 3 }) }),
  fc.record({ path, greater: bound }),
  fc.record({ path, less: bound }),
)
const { filter: aFilter } = fc.letrec<{ filter: PayloadFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ),
}))

function nested(depth: number): PayloadFilter {
  return depth === 1 ? { path: 'a', exists: true } : { not: nested(depth - 1) }
}

/** A filter of so many conditions, its join counted. */
function wide(count: number): PayloadFilter {
  return { or: Array.from({ length: count - 1 }, () => ({ path: 'a', exists: true })) }
}

function withItem(index: number, item: unknown): unknown[] {
  return [...Array.from({ length: index }, () => null), item]
}

function withName(name: string, value: unknown): unknown {
  return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
}
