import { Script, createContext } from 'node:vm'
import { Validator } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkSchemas, validatorOf } from '../../src/api/send/json-schema.ts'
import { linearPattern } from '../../src/api/send/linear-patterns.ts'
import { compileSchema } from '../../src/core/json-schema/compile.ts'
import type { JsonSchema, Pattern } from '../../src/core/json-schema/compile.ts'
import { problemIn } from '../../src/core/json-schema/evaluate.ts'
import { serverWorld } from '../server/world.ts'
import { defence } from './defence.ts'

/** Whether some work would keep the process busy for long: it is cut off after half a second. What ends by itself is not. */
function isEndless(work: () => unknown): boolean {
  try {
    new Script('work()').runInContext(createContext({ work }), { timeout: 500 })
    return false
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true
    throw error
  }
}

/** A validator without limits. */
function unbounded(schema: JsonSchema): (value: unknown) => unknown {
  const validator = new Validator(structuredClone(schema), '2020-12')
  return (value) => validator.validate(value).valid
}

function backtracking(source: string): Pattern {
  return { cost: 0, test: (text) => new RegExp(source, 'u').test(text) }
}

/** Each alternative is one of two more: a schema of forty lines that takes 2^40 steps. */
const doubling: JsonSchema = {
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/level${level + 1}` }
      return [`level${level}`, { anyOf: [next, next] }]
    }).concat([['level40', { anyOf: [false] as never[] }]]),
  ),
  $ref: '#/$defs/level0',
}

describe('a JSON Schema', () => {
  defence('^(a+)+$ takes a time in proportion to the text', async (isOn) => {
    const schema = { pattern: '^(a+)+$' }
    const value = `${'a'.repeat(60)}!`
    if (!isOn) return isEndless(() => problemIn(compileSchema(schema, backtracking), value, 1_000_000))
    expect(validatorOf(schema)(value)).toContain('does not match the pattern')
    return false
  })

  defence('patternProperties, too', async (isOn) => {
    const schema = { patternProperties: { '^(a|aa)+$': false } }
    const value = { [`${'a'.repeat(120)}!`]: 1 }
    if (!isOn) return isEndless(() => problemIn(compileSchema(schema, backtracking), value, 1_000_000))
    expect(validatorOf(schema)(value)).toBeNull()
    return false
  })

  defence('uniqueItems does not compare each item with each', async (isOn) => {
    const value = Array.from({ length: 60_000 }, (_, index) => ({ index }))
    if (!isOn) return isEndless(() => unbounded({ uniqueItems: true })(value))
    expect(validatorOf({ uniqueItems: true })(value)).toBeNull()
    return false
  })

  defence('references that double at each level end at a limit, which is said', async (isOn) => {
    const apply = validatorOf(doubling, isOn ? undefined : Number.POSITIVE_INFINITY)
    if (!isOn) return isEndless(() => apply(7))
    expect(apply(7)).toContain('the schema cannot be applied: it takes more than 1000000 steps')
    return false
  })

  defence('a long list of choices, tried on many items, ends at a limit', async (isOn) => {
    const schema = { items: { enum: Array.from({ length: 10_000 }, (_, index) => ({ index })) } }
    const value = Array.from({ length: 40_000 }, () => ({ index: 9_999 }))
    const apply = validatorOf(schema, isOn ? undefined : Number.POSITIVE_INFINITY)
    if (!isOn) return isEndless(() => apply(value))
    expect(apply(value)).toContain('steps')
    return false
  })

  defence('the format url does not backtrack', async (isOn) => {
    const value = `http://${'a'.repeat(60)}!`
    if (!isOn) return isEndless(() => unbounded({ format: 'url' })(value))
    expect(validatorOf({ format: 'url' })(value)).toBeNull()
    return false
  })

  defence('names within names are looked up once at its definition', async (isOn) => {
    let nested: Record<string, unknown> = {}
    for (let level = 0; level < 31; level += 1) nested = { $id: `https://schema.example/${level}`, not: nested }
    if (!isOn) return isEndless(() => unbounded(nested))
    checkSchemas({ 1: nested })
    return false
  })

  test.each([
    ['a look-ahead', '^(?=a)'],
    ['a look-behind', '(?<!a)b'],
    ['a back-reference', '(a)\\1'],
    ['too many repeats', 'a{2000}'],
    ['repeats of repeats', '(a{500}){500}'],
  ])('with %s is refused, with the reason', async (_, pattern) => {
    const world = await serverWorld()
    const schemas = { 1: { properties: { id: { pattern } } } }
    const reply = await world.call('POST', '/api/v1/event-type', { body: { name: 'a', description: '', schemas } })
    expect(reply).toMatchObject({ status: 422 })
    const text = JSON.stringify(reply.body)
    expect(text).toContain('#/properties/id/pattern: the pattern ')
    expect(text).toContain('cannot be run in linear time')
  })

  test('with a pattern that is too long is refused', () => {
    expect(() => checkSchemas({ 1: { pattern: 'a'.repeat(1_001) } })).toThrow('a pattern of 1001 characters')
  })

  test('that takes too many steps for a message refuses that one, and says so; others are taken', async () => {
    const world = await serverWorld({}, 'sqlite', { enforceSchemas: true })
    const { call } = world
    await call('POST', '/api/v1/app', { body: { name: 'acme', uid: 'acme' } })
    const schemas = { 1: { properties: { a: doubling, b: { pattern: '^(a+)+$' } }, $defs: doubling['$defs'] } }
    const defined = await call('POST', '/api/v1/event-type', { body: { name: 'a', description: '', schemas } })
    expect(defined.status).toBe(201)
    const send = (payload: unknown) => call('POST', '/api/v1/app/acme/msg', { body: { eventType: 'a', payload } })
    const costly = await send({ a: 7 })
    expect(costly).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'payload'] }] } })
    expect(JSON.stringify(costly.body)).toContain('takes more than 1000000 steps')
    expect(await send({ b: `${'a'.repeat(30)}!` })).toMatchObject({ status: 422 })
    expect(await send({ b: 'a'.repeat(30) })).toMatchObject({ status: 202 })
  })
})

describe('a pattern', () => {
  test.each([
    ['\\s', '\u00A0'],
    ['\\s', '\v'],
    ['\\S', '\u00A0'],
    ['[\\s]', '\uFEFF'],
    ['[^\\s]', '\u2003'],
    ['[\\S]', 'a'],
    ['[\\S]', '\u3000'],
    ['^.$', '\r'],
    ['^.$', '\u2028'],
    ['^.$', '😀'],
    ['^[.]$', 'a'],
    ['^\\ud83d\\ude00$', '😀'],
    ['^\\u{1F600}$', '😀'],
    ['[\\b]', '\b'],
    ['[[a]', '['],
    ['[[:alpha:]', ':'],
    ['^\\p{L}+$', 'Straße'],
    ['^\\p{Script=Greek}$', 'α'],
    ['^\\p{Lu}$', 'a'],
    ['^\\d$', '٣'],
    ['\\bfoo\\b', 'a foo b'],
    ['^(?<year>\\d{4})$', '2026'],
    ['^a$', 'a\n'],
    ['^\\/[\\-]$', '/-'],
    ['\\cJ', '\n'],
    ['\\x41', 'A'],
    ['[^]', '\n'],
    ['[]', 'a'],
  ])('%s means of %j what it means in ECMAScript', (source, text) => {
    expect(linearPattern(source).test(text)).toBe(new RegExp(source, 'u').test(text))
  })

  test('of any form means of any text what it means in ECMAScript', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\s',
      '\\w',
      '\\S',
      '[ab]',
      '[^a]',
      '[\\s\\d]',
      '^',
      '$',
      '\\b',
      '😀',
    )
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}${other}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
        fc
          .tuple(
            atom.filter((each) => !'^$\\b'.includes(each)),
            fc.constantFrom('*', '+', '?', '{1,2}', '+?'),
          )
          .map(([one, times]) => `${one}${times}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '\u00A0', '😀'), maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        expect(linearPattern(source).test(given)).toBe(new RegExp(source, 'u').test(given))
      }),
      { numRuns: 300 },
    )
  })
})
