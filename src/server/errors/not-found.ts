import { PosthornError } from '../../core/errors.ts'

/** What a look-up finds; null if there is none. */
export async function orNull<Found>(looking: Promise<Found>): Promise<Found | null> {
  try {
    return await looking
  } catch (thrown) {
    if (thrown instanceof PosthornError && thrown.code === 'not_found') return null
    throw thrown
  }
}
