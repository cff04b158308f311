import type { z } from 'zod'
import { withSecrets } from '../../../../core/endpoint/endpoint.ts'
import { verificationKey } from '../../../../core/signing/signature.ts'
import { answer, operation } from '../../../operation.ts'
import type { Call, Operation } from '../../../operation.ts'
import { once, repeatable } from '../../../request/idempotency.ts'
import type { Reply } from '../../../request/idempotency.ts'
import { endpointSecretOut, endpointSecretRotateIn, withPrefix } from '../../../schemas/svix/endpoint.ts'
import { endpointIn } from '../../lookup.ts'

const path = '/api/v1/app/{app_id}/endpoint/{endpoint_id}/secret'
// The user agents of official Svix clients before 2.0.
const firstGeneration = /^svix-libs\/[01]\./

/** The secrets that sign for an endpoint. */
export const endpointSecretOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.get-secret',
    method: 'get',
    path,
    summary: 'Shows the secret that receivers verify with; for an ed25519 secret, its public key.',
    realm: 'application',
    // Anybody with the secret can sign in our name.
    access: 'write',
    answers: { 200: endpointSecretOut },
    handle: async (call) =>
      answer(200, {
        key: await call.posthorn.endpoints.revealSecret((await endpointIn(call)).id, call.by()),
      }),
  }),
  operation({
    id: 'v1.endpoint.rotate-secret',
    method: 'post',
    path: `${path}/rotate`,
    summary: 'Gives an endpoint a new secret; the old one stays valid for a while.',
    realm: 'application',
    access: 'write',
    body: endpointSecretRotateIn,
    // The first generation of clients expects no content, and some fail on any; later ones expect the key.
    answers: { 200: endpointSecretOut, 204: null },
    // The response contains a secret: it is not stored, but read again for a repeat.
    idempotency: 'own',
    async handle(call) {
      const { id } = await endpointIn(call)
      const rotated = await rotateOnce(call, id)
      if (rotated instanceof Response) return rotated
      if (firstGeneration.test(call.request.headers.get('user-agent') ?? '')) return answer(204)
      const { secrets } = withSecrets(await call.posthorn.endpoints.get(id))
      return answer(200, { key: verificationKey(secrets[0]?.value ?? '') })
    },
  }),
]

async function rotateOnce(
  call: Call<unknown, z.output<typeof endpointSecretRotateIn>>,
  id: string,
): Promise<Reply | Response> {
  const {
    posthorn,
    body: { key, gracePeriodSeconds },
    idempotencyKey,
  } = call
  const rotate = async (): Promise<Reply> => {
    await posthorn.endpoints.rotateSecret(
      id,
      {
        ...(typeof key === 'string' && { secret: withPrefix(key) }),
        ...(typeof gracePeriodSeconds === 'number' && { overlapMs: gracePeriodSeconds * 1_000 }),
      },
      call.by(),
    )
    return { status: 200, text: null }
  }
  return idempotencyKey === null ? rotate() : once(posthorn, repeatable(call, idempotencyKey), rotate)
}
