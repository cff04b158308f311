import { PosthornError } from '../../src/core/errors.ts'

/** The `PosthornError` that a call throws; anything else, or nothing, fails the test. */
export function thrownBy(call: () => unknown): PosthornError {
  try {
    call()
  } catch (error) {
    if (error instanceof PosthornError) return error
    throw error
  }
  throw new Error('Expected the call to throw a PosthornError, and it returned.')
}
