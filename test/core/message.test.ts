import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkBody, checkEventType, envelope, mostBodyBytes } from '../../src/core/message/message.ts'
import { fanOut } from '../../src/core/endpoint/subscribers.ts'
import { anEndpoint } from './examples.ts'
import { thrownBy } from './thrown.ts'

describe('fanOut', () => {
  const body = Buffer.from('{"data":{"amount":120}}')

  test.each([
    ['no filter wants everything', [], 'invoice.paid', true],
    ['the exact type', ['invoice.paid'], 'invoice.paid', true],
    ['another type', ['invoice.paid'], 'invoice.voided', false],
    ['a longer type', ['invoice.paid'], 'invoice.paid.late', false],
    ['a shorter type', ['invoice.paid'], 'invoice', false],
    ['another case', ['invoice.paid'], 'Invoice.paid', false],
    ['one of several', ['user.created', 'invoice.paid'], 'invoice.paid', true],
    ['a star one level down', ['invoice.*'], 'invoice.paid', true],
    ['a star any level down', ['invoice.*'], 'invoice.paid.late.twice', true],
    ['a star and its own stem', ['invoice.*'], 'invoice', false],
    ['a star and a word that only begins alike', ['invoice.*'], 'invoices.paid', false],
    ['a deeper star', ['invoice.paid.*'], 'invoice.paid.late', true],
    ['a deeper star and what is above it', ['invoice.paid.*'], 'invoice.paid', false],
  ])('types: %s', (_, types, type, matches) => {
    expect(fanOut({ type, channels: [], body }, [anEndpoint({ types })])).toHaveLength(matches ? 1 : 0)
  })

  test.each([
    ['no filter hears what has no channel', [], [], true],
    ['no filter hears every channel', [], ['eu'], true],
    ['a filter and the same channel', ['eu'], ['eu'], true],
    ['a filter and one of several', ['eu', 'us'], ['asia', 'us'], true],
    ['a filter and another channel', ['eu'], ['us'], false],
    ['a filter and no channel', ['eu'], [], false],
  ])('channels: %s', (_, wanted, sent, matches) => {
    expect(fanOut({ type: 'a', channels: sent, body }, [anEndpoint({ channels: wanted })])).toHaveLength(
      matches ? 1 : 0,
    )
  })

  test.each([
    ['active', 1],
    ['paused', 1],
    ['disabled', 0],
    ['deleted', 0],
  ] as const)('an endpoint that is %s gets %d', (status, count) => {
    expect(fanOut({ type: 'a', channels: [], body }, [anEndpoint({ status })])).toHaveLength(count)
  })

  test('a filter takes the bodies that match it, and is asked only after type and channel', () => {
    const large = anEndpoint({ filter: { path: 'data.amount', greater: 100 } })
    const huge = anEndpoint({ filter: { path: 'data.amount', greater: 1_000 } })
    const other = anEndpoint({ filter: { path: 'data.amount', greater: 100 }, types: ['b'] })
    expect(fanOut({ type: 'a', channels: [], body }, [large, huge, other])).toEqual([large])
  })

  test.each(['', 'plain text', '{"data":', '\u0000'])(
    'a body that is no JSON (%j) matches no filter, not even a negated one',
    (text) => {
      const missing = anEndpoint({ filter: { not: { path: 'data', exists: true } } })
      const all = anEndpoint()
      expect(fanOut({ type: 'a', channels: [], body: Buffer.from(text) }, [missing, all])).toEqual([all])
    },
  )

  test('a body is not read if no endpoint in question has a filter', () => {
    const unread = new Proxy(new Uint8Array(), {
      get() {
        throw new Error('The body was read.')
      },
    })
    const unwanted = anEndpoint({ filter: { path: 'a', exists: true }, types: ['b'] })
    expect(fanOut({ type: 'a', channels: [], body: unread }, [anEndpoint(), unwanted])).toHaveLength(1)
  })

  test('type and channel must both fit', () => {
    const endpoint = anEndpoint({ types: ['invoice.*'], channels: ['eu'] })
    expect(fanOut({ type: 'invoice.paid', channels: ['eu'], body }, [endpoint])).toEqual([endpoint])
    expect(fanOut({ type: 'invoice.paid', channels: ['us'], body }, [endpoint])).toEqual([])
    expect(fanOut({ type: 'user.created', channels: ['eu'], body }, [endpoint])).toEqual([])
  })

  test('a star takes every type below its stem and nothing else', () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/)
    const path = fc.array(word, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(path, path, (stem, type) => {
        const below = type.length > stem.length && stem.every((each, index) => type[index] === each)
        const found = fanOut({ type: type.join('.'), channels: [], body }, [
          anEndpoint({ types: [`${stem.join('.')}.*`] }),
        ])
        expect(found.length === 1).toBe(below)
      }),
      {
        examples: [
          [['a'], ['a', 'b']],
          [
            ['a', 'b'],
            ['a', 'b', 'c', 'd'],
          ],
          [['a'], ['a']],
        ],
      },
    )
  })
})

describe('checkEventType', () => {
  test.each(['invoice', 'invoice.paid', 'a-b_c.D.0', 'x'.repeat(256)])('takes %s', (type) => {
    expect(checkEventType(type)).toBe(type)
  })

  test.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'invoice.*', 'ä', 'a\n', 'x'.repeat(257), 7, null, undefined])(
    'refuses %j',
    (type) => {
      const error = thrownBy(() => checkEventType(type, 'types'))
      expect(error.code).toBe('invalid_event_type')
      expect(error.message).toContain(
        'Expected `types` to be words of letters, digits, _ or - joined by dots, such as invoice.paid, got ',
      )
    },
  )
})

describe('envelope', () => {
  test('is type, timestamp and data, in that order', () => {
    const bytes = envelope('invoice.paid', 1_700_000_000_000, { id: 7, text: '✓' })
    expect(Buffer.from(bytes).toString()).toBe(
      '{"type":"invoice.paid","timestamp":"2023-11-14T22:13:20.000Z","data":{"id":7,"text":"✓"}}',
    )
  })

  test('carries every JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const parsed: unknown = JSON.parse(Buffer.from(envelope('a', 0, data)).toString())
        expect(parsed).toEqual({
          type: 'a',
          timestamp: '1970-01-01T00:00:00.000Z',
          data: JSON.parse(JSON.stringify(data)),
        })
      }),
    )
  })

  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle

  test.each([
    ['undefined', undefined, 'got undefined. Give `data`'],
    ['a function', () => 1, 'got a function'],
    ['a symbol', Symbol('s'), 'got Symbol(s)'],
    ['what turns into nothing', { toJSON: () => undefined }, 'got an object'],
    ['a cycle', cycle, 'circular'],
    ['a BigInt', { n: 1n }, 'BigInt'],
  ])('refuses %s instead of sending a message without data', (_, data, message) => {
    const error = thrownBy(() => envelope('a', 0, data))
    expect(error.code).toBe('not_serialisable')
    expect(error.message).toContain('Expected `data` to be a JSON value')
    expect(error.message).toContain(message)
    expect(error.message).toContain('`payload`')
  })
})

test('a body may have a mebibyte and no more', () => {
  const body = new Uint8Array(mostBodyBytes)
  expect(checkBody(body)).toBe(body)
  const error = thrownBy(() => checkBody(new Uint8Array(mostBodyBytes + 1)))
  expect(error.code).toBe('body_too_large')
  expect(error.message).toBe(
    'Expected `body` to be at most 1048576 bytes, got 1048577. Send a link to the data instead.',
  )
})
