import { PosthornError } from '../../core/errors.ts'

/** Returns what was found, or throws if there is nothing. */
export async function orNull<Found>(looking: Promise<Found>): Promise<Found | null> {
  try {
    return await looking
  } catch (thrown) {
    if (thrown instanceof PosthornError && thrown.code === 'not_found') return null
    throw thrown
  }
}
