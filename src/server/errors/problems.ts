import type { core } from 'zod'
import { show } from '../../core/errors.ts'
import type { Problem } from './error-response.ts'

type Issue = core.$ZodIssue
type Place = 'body' | 'query'

/** A schema's findings with their places, in our own sentences: "Expected `url` to be text, got 7." */
export function problemsIn(place: Place, issues: readonly Issue[], given: unknown): Problem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(named)
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownProblem(place, [...path, key]))
    return [
      {
        loc: [place, ...path],
        msg: sentenceOf(issue, path.length === 0 ? place : path.join('.'), valueAt(given, path)),
        type: `value_error.${issue.code}`,
      },
    ]
  })
}

/** The refusal of an unknown field or parameter. */
export function unknownProblem(place: Place, path: readonly (string | number)[], advice = ''): Problem {
  const kind = place === 'body' ? 'field' : 'parameter'
  return {
    loc: [place, ...path],
    msg: `Expected \`${path.join('.')}\` to be left out: there is no such ${kind}.${advice}`,
    type: 'value_error.unknown_field',
  }
}

function sentenceOf(issue: Issue, name: string, value: unknown): string {
  // A schema can have its own sentence, or say what it expects.
  if (issue.message.startsWith('Expected ')) return issue.message
  const isOwn = !/^(Invalid|Too|Unrecognized)/.test(issue.message)
  const got = value === undefined ? 'nothing' : show(value)
  return `Expected \`${name}\` to be ${isOwn ? issue.message : wanted(issue, value)}, got ${got}.`
}

// oxlint-disable-next-line eslint/complexity -- One line per code of the validator: apart, nobody would see which are missing.
function wanted(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.length === 1 ? shown(issue.values[0]) : `one of ${issue.values.map(shown).join(', ')}`
    case 'too_big':
      return `at most ${amount(issue.maximum, issue.origin)}`
    case 'too_small':
      return `at least ${amount(issue.minimum, issue.origin)}`
    case 'invalid_format':
      return formats[issue.format] ?? `text of the form ${issue.pattern ?? issue.format}`
    case 'invalid_key':
      return 'an object whose names are of the right form and length'
    case 'invalid_element':
      return 'made of the right values'
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_union':
    case 'unrecognized_keys':
    case 'custom':
      return value === undefined ? 'given' : 'of another kind'
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
  never: 'left out',
  nonoptional: 'given',
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2026-01-31T12:00:00Z',
}

const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  file: 'bytes',
  record: 'entries',
}

function amount(count: number | bigint, origin: string): string {
  const unit = units[origin]
  return unit === undefined ? String(count) : `${count} ${unit}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

function valueAt(given: unknown, path: readonly (string | number)[]): unknown {
  let value = given
  for (const name of path)
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string | number, unknown>)[name]
        : undefined
  return value
}

function named(part: PropertyKey): string | number {
  return typeof part === 'symbol' ? String(part) : part
}
