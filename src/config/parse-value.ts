import { expected } from '../core/errors.ts'

/** Parses the text of a setting; an invalid value is refused with the setting's name. */
type ParseValue<Value> = (text: string, name: string) => Value

export function wholeNumber(least: number, most: number, factor = 1): ParseValue<number> {
  return (given, name) => {
    if (/^\d{1,9}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given) * factor
    throw expected('invalid_argument', name, `a whole number from ${least} to ${most}`, given)
  }
}

export function flag(): ParseValue<boolean> {
  return (given, name) => {
    if (['1', 'true', 'yes'].includes(given.toLowerCase())) return true
    if (['0', 'false', 'no'].includes(given.toLowerCase())) return false
    throw expected('invalid_argument', name, '1 or 0', given)
  }
}

export function text(): ParseValue<string> {
  return (given) => given
}

export function oneOf(allowed: readonly string[]): ParseValue<string> {
  return (given, name) => {
    if (allowed.includes(given)) return given
    throw expected('invalid_argument', name, `one of ${allowed.join(', ')}`, given)
  }
}

/** An error shows only its length. */
export function secretText(leastLength: number): ParseValue<string> {
  return (given, name) => {
    if (given.length >= leastLength && /^[\x21-\x7e]+$/.test(given)) return given
    const advice = 'Make one with: openssl rand -hex 32'
    throw expected(
      'invalid_argument',
      name,
      `at least ${leastLength} printable characters without spaces`,
      `one of ${given.length}`,
      advice,
    )
  }
}

export function list(): ParseValue<readonly string[]> {
  return (given) =>
    given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
}
