import { messageOf, PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'

/** The meaning of an error code of PostgreSQL, the network or the driver, and what to do about it. */
interface Meaning {
  readonly code: ErrorCode
  readonly expected: string
  readonly advice: string
}

const unreachable: Meaning = {
  code: 'store_failed',
  expected: 'PostgreSQL to answer',
  advice: 'Is it running, are host and port right, and does the network let this process through?',
}
const refusedLogin: Meaning = {
  code: 'store_failed',
  expected: 'PostgreSQL to let us in',
  advice: 'Check user and password of the url, and pg_hba.conf.',
}
const stopping: Meaning = {
  code: 'store_failed',
  expected: 'PostgreSQL to stay up',
  advice: 'It is going down or coming up: try again.',
}
const lost: Meaning = {
  code: 'store_failed',
  expected: 'PostgreSQL to answer in time',
  advice: 'The connection was given up: try again.',
}
const refusedData: Meaning = {
  code: 'data_refused',
  expected: 'values that PostgreSQL can keep',
  advice: 'Nothing of it was stored: is a text too long for an index, or a number out of range? Change it.',
}
const notOurs: Meaning = {
  code: 'store_failed',
  expected: 'a schema of Posthorn',
  advice:
    "Was it changed by hand, or is it another program's? Give a `schema` that is ours, and migrate it: posthorn migrate.",
}

/** The full list: https://www.postgresql.org/docs/current/errcodes-appendix.html. These codes need specific advice. */
const meanings: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  ENOENT: unreachable,
  ECONNRESET: lost,
  EPIPE: lost,
  '28P01': refusedLogin,
  '28000': refusedLogin,
  '3D000': {
    code: 'store_failed',
    expected: 'the database of the url to exist',
    advice: 'Create it: createdb <name>.',
  },
  '3F000': notOurs,
  '42P01': notOurs,
  '42703': notOurs,
  '42501': {
    code: 'store_failed',
    expected: 'the right to do this',
    advice:
      'Let an administrator grant it: grant create on database … to … for the first start, or grant all on schema … and its tables.',
  },
  '25006': {
    code: 'store_failed',
    expected: 'a database that can be written',
    advice: 'This is a read-only replica, or the user is set to read only: give the url of the primary.',
  },
  '23505': { code: 'already_exists', expected: 'an id or uid that is not in use', advice: 'Choose another.' },
  '53100': {
    code: 'store_full',
    expected: 'room to write',
    advice: 'Nothing was stored: make room on the disk and try again.',
  },
  '53300': {
    code: 'store_failed',
    expected: 'a free connection',
    advice: 'Raise max_connections, or hand in a pool with a smaller `max`.',
  },
  '55P03': {
    code: 'store_locked',
    expected: 'the rows to be free',
    advice: 'Another transaction holds them: end it, or try again.',
  },
  '57014': {
    code: 'store_failed',
    expected: 'PostgreSQL to be done in time',
    advice: 'Nothing was stored: is it overloaded, or does a transaction that was left open hold the rows? Try again.',
  },
  '57P01': stopping,
  '57P02': stopping,
  '57P03': stopping,
}

/** By class, the first two characters of a code: invalid values, violated constraints, and exceeded server limits. */
const classes: Readonly<Record<string, Meaning>> = { '22': refusedData, '23': refusedData, '54': refusedData }

/** Turns an error of PostgreSQL or its driver into one that says what to do. */
export function storeError(thrown: unknown): PosthornError {
  if (thrown instanceof PosthornError) return thrown
  const { code, expected, advice } = meaningOf(thrown)
  return new PosthornError(code, `Expected ${expected}, got "${reasonOf(thrown)}". ${advice}`, { cause: thrown })
}

function meaningOf(thrown: unknown): Meaning {
  const code = codeOf(thrown)
  const known = meanings[code]
  if (known !== undefined) return known
  if (isAnswer(thrown)) return classes[code.slice(0, 2)] ?? other
  return isTimeout(thrown) ? lost : unreachable
}

const other: Meaning = {
  code: 'store_failed',
  expected: 'PostgreSQL to do as asked',
  advice: 'Nothing was stored: look into its log, then try again.',
}

/** For a write whose commit may or may not have happened. */
export function unknownOutcome(thrown: unknown, advice: string): PosthornError {
  return new PosthornError(
    'outcome_unknown',
    `The connection was lost before the commit was answered ("${reasonOf(thrown)}"). ${advice}`,
    {
      cause: thrown,
    },
  )
}

/** True if the server itself refused and the connection is still usable; otherwise the state of both is unknown. */
export function isAnswer(thrown: unknown): boolean {
  const ends = /^(57P|08|40003)/
  return typeof thrown === 'object' && thrown !== null && 'severity' in thrown && !ends.test(codeOf(thrown))
}

/** The other transaction was faster; retrying is enough. */
export function isRaceLost(thrown: unknown): boolean {
  const code = codeOf(thrown)
  return code === '40001' || code === '40P01'
}

/** Matches the driver's message, because these errors have no code. */
export function isTimeout(thrown: unknown): boolean {
  return /timeout/i.test(messageOf(thrown)) || codeOf(thrown) === 'ETIMEDOUT'
}

export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || typeof thrown.code !== 'string') return ''
  return thrown.code
}

/** For a host with several addresses, the error has no message of its own, only one error per address. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join('; ')
  return messageOf(thrown)
}
