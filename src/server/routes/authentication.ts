import { z } from 'zod'
import { PosthornError } from '../../core/errors.ts'
import { hour } from '../../core/time.ts'
import { answer, operation } from '../operation.ts'
import type { Operation } from '../operation.ts'
import { applicationIn, applicationSettings } from '../schemas/application.ts'
import { publicOrigin } from '../url.ts'

const sessionMs = hour

const portalAccessIn = z.object({
  application: applicationIn.nullish(),
  featureFlags: z.array(z.string().max(256)).max(100).optional(),
}).meta({ id: 'AppPortalAccessIn' })
const portalAccessOut = z.object({ url: z.string(), token: z.string() }).meta({ id: 'AppPortalAccessOut' })

export const authenticationOperations: readonly Operation[] = [
  operation({
    id: 'v1.authentication.app-portal-access',
    method: 'post',
    path: '/api/v1/auth/app-portal-access/{app_id}',
    summary: "A link, good for an hour, that opens one application's view; its token is an API key of that application.",
    realm: 'server',
    access: 'write',
    idempotency: 'none',
    findsApplication: true,
    body: portalAccessIn,
    answers: { 200: portalAccessOut },
    async handle({ posthorn, params, body, request, server, caller }) {
      const name = params['app_id'] ?? ''
      const application = await posthorn.applications.get(name).catch((thrown: unknown) => {
        const isMissing = thrown instanceof PosthornError && thrown.code === 'not_found'
        const given = body.application ?? null
        if (!isMissing || given === null) throw thrown
        return posthorn.applications.create({ ...applicationSettings(given), uid: given.uid ?? name })
      })
      const { token } = await posthorn.keys.create({ name: 'portal', application: application.id, expiresAt: posthorn.now() + sessionMs }, { by: caller.name })
      // After the `#`, so that it reaches no log of a server on the way.
      return answer(200, { url: `${publicOrigin(request)}${server.basePath}/login#key=${token}`, token })
    },
  }),
  operation({
    id: 'v1.authentication.logout',
    method: 'post',
    path: '/api/v1/auth/logout',
    summary: "Ends the application's key that it is called with; other keys are revoked by id.",
    realm: 'everyone',
    // A reader may leave, too.
    access: 'read',
    idempotency: 'none',
    answers: { 204: null },
    async handle({ posthorn, caller }) {
      // Nobody means to lock everybody out by logging out.
      if (caller.applicationId === null) return answer(403, { code: 'permission_denied', detail: 'Only the key of an application can log out. Revoke others by id.' })
      await posthorn.keys.revoke(caller.id, { by: caller.name })
      return answer(204)
    },
  }),
]
