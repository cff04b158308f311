import { PosthornError } from 'posthorn'

/** The `PosthornError` that a call is refused with, thrown or rejected; anything else, or nothing, fails the test. */
export async function refusal(call: () => unknown): Promise<PosthornError> {
  try {
    await call()
  } catch (error) {
    if (error instanceof PosthornError) return error
    throw error
  }
  throw new Error('Expected the call to be refused, and it was not.')
}
