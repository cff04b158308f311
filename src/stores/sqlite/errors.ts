import { messageOf, PosthornError } from '../../core/errors.ts'

const primaryBits = 0xff
// The primary codes that call for an advice of their own; https://sqlite.org/rescode.html has them all.
const busy = 5
const locked = 6
const full = 13
const cannotOpen = 14
const tooBig = 18
const constraint = 19
const mismatch = 20
const notADatabase = 26
// Extended codes: of all constraints only these two mean that something is there already.
const uniqueConstraint = 2067
const primaryKeyConstraint = 1555

/** What SQLite threw, as an error that says what to do. */
export function storeError(thrown: unknown): PosthornError {
  if (thrown instanceof PosthornError) return thrown
  const cause = messageOf(thrown)
  const extended = codeOf(thrown)
  if (extended === uniqueConstraint || extended === primaryKeyConstraint) {
    return error('already_exists', `Expected an id or uid that is not in use, got "${cause}". Choose another.`)
  }
  switch (extended & primaryBits) {
    case busy:
    case locked:
      return error(
        'store_locked',
        `Expected the database to be free to write, got "${cause}". Another process holds it: end its transaction.`,
      )
    case full:
      return error(
        'store_full',
        `Expected room to write, got "${cause}". Nothing was stored: make room on the disk and try again.`,
      )
    case tooBig:
    case constraint:
    case mismatch:
      return error(
        'data_refused',
        `Expected values that the database can keep, got "${cause}". Nothing of it was stored: change them.`,
      )
    case cannotOpen:
      return error(
        'store_failed',
        `Expected a file that can be opened, got "${cause}". Does its directory exist, and may this user write there?`,
      )
    case notADatabase:
      return error('store_failed', `Expected a SQLite file, got "${cause}". Is this the right path?`)
    default:
      return error(
        'store_failed',
        `Expected the database to answer, got "${cause}". Nothing was stored: check the disk and the file, then try again.`,
      )
  }

  function error(code: PosthornError['code'], message: string): PosthornError {
    return new PosthornError(code, message, { cause: thrown })
  }
}

export function isBusy(thrown: unknown): boolean {
  return (codeOf(thrown) & primaryBits) === busy
}

/** By name, as better-sqlite3 says it; the longer names begin with the shorter. */
const codes: readonly (readonly [name: string, code: number])[] = [
  ['SQLITE_BUSY', busy],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_FULL', full],
  ['SQLITE_CANTOPEN', cannotOpen],
  ['SQLITE_NOTADB', notADatabase],
  ['SQLITE_CONSTRAINT_UNIQUE', uniqueConstraint],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', primaryKeyConstraint],
  ['SQLITE_CONSTRAINT', constraint],
  ['SQLITE_TOOBIG', tooBig],
  ['SQLITE_MISMATCH', mismatch],
]

function codeOf(thrown: unknown): number {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string') {
    const { code } = thrown
    const known = codes.find(([name]) => code.startsWith(name))
    if (known !== undefined) return known[1]
  }
  if (typeof thrown !== 'object' || thrown === null || !('errcode' in thrown) || typeof thrown.errcode !== 'number')
    return 0
  return thrown.errcode
}
