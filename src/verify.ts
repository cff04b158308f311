import { systemClock } from './clock.ts'
import { verifySignature } from './core/signing/verify.ts'
import type { ReceivedHeaders, Verified } from './core/signing/verify.ts'

export { verifyBodySignature } from './core/signing/verify.ts'
export type { ReceivedHeaders, Verified } from './core/signing/verify.ts'

/** `verifySignature` with the machine's clock, for receivers. Throws `invalid_signature` or `stale_signature`. */
export function verify(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string,
  options: { readonly toleranceSeconds?: number; readonly prefix?: string; readonly now?: number } = {},
): Verified {
  return verifySignature(body, headers, secret, { ...options, now: options.now ?? systemClock.now() })
}
