import type { Delivery } from '../../core/delivery/delivery.ts'
import { expected } from '../../core/errors.ts'
import { signatureReport } from '../../core/signing/debug/report.ts'
import type { SignatureReport } from '../../core/signing/debug/report.ts'
import { mostLiveSecrets } from '../../core/signing/signature.ts'
import type { DeliveryParts } from './parts.ts'

/** What somebody has who cannot verify a delivery. */
export interface GivenSignature {
  /** The headers, one per line, or the signature alone. */
  readonly headers: string
  /** The body, as it was received or signed. */
  readonly body?: string | undefined
}

/** Compares a signature with those of a delivery, using the endpoint's present secrets. */
export async function checkSignature(
  { directory, clock }: DeliveryParts,
  { id, endpointId, messageId }: Delivery,
  { headers, body }: GivenSignature,
): Promise<SignatureReport> {
  const [[endpoint], message, attempts] = await Promise.all([
    directory.endpointsById([endpointId]),
    directory.message(messageId),
    directory.attempts(id),
  ])
  if (endpoint === undefined || endpoint.secrets.length === 0 || message === null || message.erasedAt !== null)
    throw expected('not_found', 'body', 'kept, to compare with it', 'none', 'Its endpoint or its body is gone.')
  // Each is tried on each content, and a body may have a mebibyte.
  const secrets = endpoint.secrets.slice(0, mostLiveSecrets)
  const compared = { ...endpoint, secrets }
  const now = clock.now()
  return signatureReport({ message, deliveryId: id, attempts, endpoint: compared, headers, body: body ?? null, now })
}
