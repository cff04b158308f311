import { z } from 'zod'
import type { Application } from '../../../core/endpoint/endpoint.ts'
import { PosthornError } from '../../../core/errors.ts'
import { second } from '../../../core/time.ts'
import type { Posthorn } from '../../../posthorn.ts'
import { forbidden } from '../../request/authorization.ts'
import type { By } from '../../request/actor.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Answer, Call, Operation } from '../../operation.ts'
import { applicationIn, applicationSettings } from '../../schemas/svix/application.ts'
import { parameter } from '../lookup.ts'

const flag = z
  .string()
  .max(256)
  .regex(/^[a-zA-Z0-9\-_.]+$/)
const portalAccessIn = z
  .object({
    application: applicationIn
      .nullish()
      .meta({ description: 'Creates the application in the path, if there is none.' }),
    featureFlags: z
      .array(flag)
      .max(100)
      .nullish()
      .meta({ description: 'Event types with other feature flags are hidden.' }),
    readOnly: z.boolean().nullish().meta({ description: 'Shows everything and changes nothing.' }),
    expiry: z.int().min(3_600).max(604_800).nullish().meta({
      description:
        'Seconds for which the link is valid; if not given, as the server is set up (POSTHORN_PORTAL_TOKEN_HOURS).',
    }),
    // Listed so that it is refused: a link that allows more than was requested would be worse than none.
    capabilities: z.null('Expected `capabilities` to be left out. Give `readOnly` instead.').optional(),
  })
  .meta({ id: 'AppPortalAccessIn' })
const portalAccessOut = z.object({ url: z.string(), token: z.string() }).meta({ id: 'AppPortalAccessOut' })

const summaries = {
  'app-portal-access':
    "A link, valid for a while, that opens one application's view for a customer. It neither sends nor erases messages, and chooses no retry policy.",
  'dashboard-access': 'The older name of app-portal-access.',
}

/** Links for customers, and how to log out. */
export const authenticationOperations: readonly Operation[] = [
  ...(['app-portal-access', 'dashboard-access'] as const).map((name) =>
    operation({
      id: `v1.authentication.${name}`,
      method: 'post',
      path: `/api/v1/auth/${name}/{app_id}`,
      summary: summaries[name],
      realm: 'server',
      access: 'write',
      idempotency: 'none',
      findsApplication: true,
      body: portalAccessIn,
      answers: { 200: portalAccessOut },
      handle: openPortal,
    }),
  ),
  operation({
    id: 'v1.authentication.logout',
    method: 'post',
    path: '/api/v1/auth/logout',
    summary: "Ends the application's key that it is called with; other keys are revoked by id.",
    realm: 'everyone',
    // Read-only callers can log out, too.
    access: 'read',
    idempotency: 'none',
    answers: { 204: null },
    async handle({ posthorn, caller, by }) {
      // Logging out must not lock everybody out.
      if (caller.applicationId === null)
        return forbidden('Only the key of an application can log out. Revoke others by id.')
      await posthorn.keys.revoke(caller.id, by())
      return answer(204)
    },
  }),
]

async function openPortal({
  posthorn,
  params,
  body,
  server,
  by,
}: Call<unknown, z.output<typeof portalAccessIn>>): Promise<Answer> {
  if (server.publicUrl === null) throw addressUnknown()
  const application = await applicationFor(posthorn, parameter(params, 'app_id'), body.application ?? null, by())
  const lastsMs = typeof body.expiry === 'number' ? body.expiry * second : server.portalTokenMs
  const { token } = await posthorn.keys.create(
    {
      name: 'portal',
      application: application.id,
      access: body.readOnly === true ? 'read' : 'write',
      expiresAt: posthorn.now() + lastsMs,
      portal: { featureFlags: body.featureFlags ?? [] },
    },
    by(),
  )
  // After the `#`, so that no server on the way logs it.
  return answer(200, { url: `${server.publicUrl}${server.basePath}/login#key=${token}`, token })
}

/** Never from the request: its sender can write any host into it, and the link contains a key. */
function addressUnknown(): PosthornError {
  return new PosthornError(
    'wrong_state',
    'Expected the server to know its public URL, got none. Set POSTHORN_PUBLIC_URL, or `publicUrl` of `handler`.',
  )
}

async function applicationFor(
  posthorn: Posthorn,
  name: string,
  given: z.output<typeof applicationIn> | null,
  by: By,
): Promise<Application> {
  if (given === null) return posthorn.applications.get(name)
  return (
    (await orNull(posthorn.applications.get(name))) ??
    posthorn.applications.create({ ...applicationSettings(given), uid: given.uid ?? name }, by)
  )
}
