import { randomBytes } from 'node:crypto'
import { withSecrets } from '../../core/endpoint/endpoint.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import { checkCount } from '../../core/limits/limits.ts'
import {
  checkScheme,
  checkSecret,
  hmacSecret,
  liveSecrets,
  mostLiveSecrets,
  verificationKey,
} from '../../core/signing/signature.ts'
import { day } from '../../core/time.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import { findEndpoint, found } from './find.ts'
import type { EndpointName } from './find.ts'
import type { EndpointParts } from './parts.ts'

export interface RotateOptions {
  readonly secret?: string
  /** How long the old ones stay valid; a day by default. */
  readonly overlapMs?: number
}

/** The given secret, or a new one. */
export function secretOr(given: string | undefined): string {
  return given === undefined ? hmacSecret(randomBytes(32)) : checkSecret(given)
}

/** Creates a new secret; the old ones stay valid for the overlap. */
export async function rotateSecret(
  parts: EndpointParts,
  name: EndpointName,
  { secret, overlapMs = day }: RotateOptions,
  by: By,
): Promise<Endpoint> {
  const { directory, clock, random } = parts
  const value = secretOr(secret)
  checkCount('overlapMs', overlapMs, 0, 30 * day)
  const before = await findEndpoint(parts, name)
  checkScheme(before.signature, value)
  const now = clock.now()
  if (overlapMs > 0) checkLiveSecrets(liveSecrets(before.secrets, now).length)
  const added = { id: makeId('sec', now, random), value, createdAt: now, expiresAt: null }
  const rotation = { endpointId: before.id, secret: added, othersEndAt: now + overlapMs, now, by: actor(by) }
  const endpoint = found(await directory.rotateSecret(rotation), name)
  await parts.changed(endpoint.id)
  return endpoint
}

/** Returns the secret that receivers verify with, and records who asked. */
export async function revealSecret(parts: EndpointParts, name: EndpointName, by: By): Promise<string> {
  const { id, applicationId, secrets } = withSecrets(await findEndpoint(parts, name))
  await parts.directory.note({ action: 'reveal', by: actor(by), target: id, applicationId, at: parts.clock.now() })
  return verificationKey(secrets[0]?.value ?? '')
}

function checkLiveSecrets(count: number): void {
  if (count < mostLiveSecrets) return
  const advice = 'Wait until one expires, or rotate with an `overlapMs` of 0, which ends all others at once.'
  throw expected(
    'wrong_state',
    'secret',
    `one of at most ${mostLiveSecrets} that are valid at once`,
    `another one in addition to ${count}`,
    advice,
  )
}
