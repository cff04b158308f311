import { describe, expect, test } from 'vitest'
import { PosthornError } from '../../src/core/errors.ts'
import { isAnswer, isRaceLost, storeError } from '../../src/stores/postgres/errors.ts'

describe('what PostgreSQL and its driver throw says what to do', () => {
  test.each<[string, Error, string, RegExp]>([
    ['a wrong password', answer('28P01', 'password authentication failed'), 'store_failed', /user and password/],
    ['a full disk', answer('53100', 'could not extend file'), 'store_full', /make room/],
    ['too many connections', answer('53300', 'sorry, too many clients already'), 'store_failed', /max_connections/],
    [
      'a read-only replica',
      answer('25006', 'cannot execute INSERT in a read-only transaction'),
      'store_failed',
      /primary/,
    ],
    ['missing rights', answer('42501', 'permission denied for schema posthorn'), 'store_failed', /grant/],
    ['a schema that is gone', answer('42P01', 'relation does not exist'), 'store_failed', /schema/],
    ['something that is there', answer('23505', 'duplicate key value'), 'already_exists', /Choose another/],
    [
      'a key that is too long for its index',
      answer('54000', 'index row size 9000 exceeds btree maximum'),
      'data_refused',
      /too long/,
    ],
    ['a number out of range', answer('22003', 'integer out of range'), 'data_refused', /out of range/],
    ['a value that is missing', answer('23502', 'null value in column'), 'data_refused', /Change it/],
    ['an answer we know nothing about', answer('XX000', 'internal error'), 'store_failed', /its log/],
    ['a server that stops', answer('57P01', 'terminating connection'), 'store_failed', /try again/],
    ['a deadline', new Error('Query read timeout'), 'store_failed', /in time/],
    [
      'a pool without a free connection',
      new Error('timeout exceeded when trying to connect'),
      'store_failed',
      /in time/,
    ],
    [
      'a host of several addresses',
      new AggregateError([new Error('connect ECONNREFUSED ::1:5432')], ''),
      'store_failed',
      /ECONNREFUSED.*Is it running/,
    ],
  ])('%s', (_what, thrown, code, advice) => {
    const error = storeError(thrown)
    expect(error).toMatchObject({ code, cause: thrown })
    expect(error.message).toMatch(/^Expected .*, got ".+"\. /)
    expect(error.message).toMatch(advice)
  })

  test('an error of ours stays as it is', () => {
    const error = new PosthornError('not_found', 'Not there.')
    expect(storeError(error)).toBe(error)
  })
})

test.each([
  ['a constraint', answer('23505'), true],
  ['a deadlock', answer('40P01'), true],
  ['a shutdown', answer('57P01'), false],
  ['a lost connection', answer('08006'), false],
  ['an unknown completion', answer('40003'), false],
  ['a deadline of ours', new Error('Query read timeout'), false],
])('%s: the connection is as good as before: %#', (_what, thrown, wanted) => {
  expect(isAnswer(thrown)).toBe(wanted)
})

test('only a lost race is worth the same again', () => {
  expect(['40001', '40P01', '23505', '57014', '40003'].filter((code) => isRaceLost(answer(code)))).toEqual([
    '40001',
    '40P01',
  ])
})

function answer(code: string, message = 'no'): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR' })
}
