import { messageOf, PosthornError } from '../../core/errors.ts'

const primaryBits = 0xff
// The primary codes that need specific advice; the full list: https://sqlite.org/rescode.html
const busy = 5
const locked = 6
const full = 13
const cannotOpen = 14
const tooBig = 18
const constraint = 19
const mismatch = 20
const notADatabase = 26
// Extended codes: of all constraints, only these two mean that something already exists.
const uniqueConstraint = 2067
const primaryKeyConstraint = 1555

/** What was expected instead of the error, and what to do about it. */
interface Refusal {
  readonly code: PosthornError['code']
  readonly wanted: string
  readonly advice: string
}

const taken: Refusal = {
  code: 'already_exists',
  wanted: 'an id or uid that is not in use',
  advice: 'Choose another.',
}
const inUse: Refusal = {
  code: 'store_locked',
  wanted: 'the database to be free to write',
  advice: 'Another process holds it: end its transaction.',
}
const badValues: Refusal = {
  code: 'data_refused',
  wanted: 'values that the database can keep',
  advice: 'Nothing of it was stored: change them.',
}
const diskFull: Refusal = {
  code: 'store_full',
  wanted: 'room to write',
  advice: 'Nothing was stored: make room on the disk and try again.',
}
const notOpened: Refusal = {
  code: 'store_failed',
  wanted: 'a file that can be opened',
  advice: 'Does its directory exist, and may this user write there?',
}
const notSqlite: Refusal = {
  code: 'store_failed',
  wanted: 'a SQLite file',
  advice: 'Is this the right path?',
}
const anyOther: Refusal = {
  code: 'store_failed',
  wanted: 'the database to answer',
  advice: 'Nothing was stored: check the disk and the file, then try again.',
}

const refusals: ReadonlyMap<number, Refusal> = new Map([
  [uniqueConstraint, taken],
  [primaryKeyConstraint, taken],
  [busy, inUse],
  [locked, inUse],
  [tooBig, badValues],
  [constraint, badValues],
  [mismatch, badValues],
  [full, diskFull],
  [cannotOpen, notOpened],
  [notADatabase, notSqlite],
])

/** Turns an error of SQLite into one that says what to do. */
export function storeError(thrown: unknown): PosthornError {
  if (thrown instanceof PosthornError) return thrown
  const extended = codeOf(thrown)
  const { code, wanted, advice } = refusals.get(extended) ?? refusals.get(extended & primaryBits) ?? anyOther
  return new PosthornError(code, `Expected ${wanted}, got "${messageOf(thrown)}". ${advice}`, { cause: thrown })
}

export function isBusy(thrown: unknown): boolean {
  return (codeOf(thrown) & primaryBits) === busy
}

/** By name, as better-sqlite3 reports codes; longer names start with the shorter ones. */
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
