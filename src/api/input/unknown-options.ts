import { PosthornError } from '../../core/errors.ts'
import { didYouMean } from '../../core/nearest.ts'

/** Refuses an option that a call does not have: a typo would silently do nothing. */
export function refuseUnknown(call: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new PosthornError(
    'invalid_argument',
    `Expected \`${unknown}\` to be left out: \`${call}\` has no such option.${didYouMean(unknown, known)}`,
  )
}
