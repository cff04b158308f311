import { expect, test } from 'vitest'
import { expected, messageOf, PosthornError } from '../../src/core/errors.ts'

test.each([
  ['text in quotes', 'abc', '"abc"'],
  ['long text cut', 'x'.repeat(101), `"${'x'.repeat(100)}…"`],
  ['text of the longest length whole', 'x'.repeat(100), `"${'x'.repeat(100)}"`],
  ['a number', 7, '7'],
  ['a number that is none', Number.NaN, 'NaN'],
  ['a bigint', 7n, '7n'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a boolean', false, 'false'],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['an array by its length only', ['secret', 'secret'], 'an array of 2'],
  ['an object without its content', { secret: 'secret' }, 'an object'],
  ['a function without its source', () => 'secret', 'a function'],
])('an error about a value shows %s', (_, got, shown) => {
  expect(expected('invalid_argument', 'x', 'good', got).message).toBe(`Expected \`x\` to be good, got ${shown}.`)
})

test('advice follows as a sentence of its own', () => {
  expect(expected('not_found', 'id', 'known', 'dlv_1', 'Look again.').message).toBe(
    'Expected `id` to be known, got "dlv_1". Look again.',
  )
})

test('an error carries its code, its name and its cause', () => {
  const cause = new Error('disk full')
  const error = new PosthornError('store_full', 'The disk is full.', { cause })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ code: 'store_full', name: 'PosthornError', message: 'The disk is full.', cause })
})

test.each([
  ['an error', new TypeError('broken'), 'broken'],
  ['text', 'broken', 'broken'],
  ['nothing', undefined, 'undefined'],
])('the message of %s that was thrown can be read', (_, thrown, message) => {
  expect(messageOf(thrown)).toBe(message)
})
