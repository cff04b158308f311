import { randomBytes } from 'node:crypto'
import { describe } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import { handler } from '../../src/server/handler.ts'
import type { Handler } from '../../src/server/handler.ts'
import { testPosthorn } from '../../src/testing/index.ts'
import { databases, securityDatabase } from './databases.ts'
import { defence } from './defence.ts'

const adminKey = 'an-admin-key-of-the-test'
const admin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
const ownPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

describe.each(databases)('secrets at rest on %s', (kind) => {
  defence(
    'secrets at rest: whoever reads the database finds neither secrets nor headers of endpoints',
    async (isOn) => {
      const database = await securityDatabase(kind)
      const store = database.store(isOn ? randomBytes(32) : null)
      const posthorn = new Posthorn({ store })
      const { secrets } = await posthorn.endpoints.create({
        application: 'acme',
        url: 'https://acme.example/hooks',
        headers: { 'x-tenant': 'a-header-of-the-customer' },
      })
      const contents = await database.contents()
      await posthorn.stop()
      return contents.includes('a-header-of-the-customer') || contents.includes(secrets[0]?.value ?? '')
    },
  )

  defence(
    'secrets at rest: the secret of one endpoint, copied to the row of another, does not sign for it',
    async (isOn) => {
      const database = await securityDatabase(kind)
      const store = database.store(isOn ? randomBytes(32) : null)
      const posthorn = new Posthorn({ store })
      const [own, foreign] = [
        await posthorn.endpoints.create({ application: 'mallory', url: 'https://mallory.example/' }),
        await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/' }),
      ]
      await database.copySecret(foreign.id, own.id)
      const revealed = await posthorn.endpoints.revealSecret(own.id).catch(() => null)
      await posthorn.stop()
      return revealed === foreign.secrets[0]?.value
    },
  )
})

defence('a request under another host does not lead a link to the portal there', async (isOn) => {
  const { posthorn } = await testPosthorn()
  await posthorn.applications.create({ uid: 'acme' })
  const own = handler(posthorn, { adminKey, publicUrl: 'https://hooks.example' })
  // As if the address came from the request.
  const answer: Handler = isOn
    ? own
    : (request) => handler(posthorn, { adminKey, publicUrl: new URL(request.url).origin })(request)
  const response = await answer(
    new Request('https://evil.example/api/v1/auth/app-portal-access/acme', {
      method: 'POST',
      headers: { ...admin, host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      body: '{}',
    }),
  )
  const { url } = (await response.json()) as { url: string }
  await posthorn.stop()
  return url.includes('evil.example')
})

defence('a link of a stranger does not sign a reader in as somebody else unnoticed', async (isOn) => {
  const { posthorn } = await testPosthorn()
  await posthorn.applications.create({ uid: 'mallory' })
  const { token } = await posthorn.keys.create({ name: 'link', application: 'mallory' })
  const answer = handler(posthorn, { adminKey })
  const signIn = (body: object, cookie = ''): Promise<Response> =>
    answer(
      new Request('https://hooks.example/api/v1/session', {
        method: 'POST',
        headers: { ...ownPage, cookie },
        body: JSON.stringify(body),
      }),
    )
  const cookie = cookieOf(await signIn({ key: adminKey }))
  // A page that asks nobody.
  const followed = await signIn({ key: token, ...(!isOn && { replace: true }) }, cookie)
  await posthorn.stop()
  return cookieOf(followed) !== ''
})

defence('a cache between server and reader keeps no secret for the next who asks', async (isOn) => {
  const { posthorn } = await testPosthorn()
  const { id } = await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/' })
  const answer = handler(posthorn, { adminKey })
  const path = `https://hooks.example/api/v1/app/acme/endpoint/${id}/secret`
  const cache = sharedCache(isOn ? answer : async (request) => withoutCacheControl(await answer(request)))
  await cache(new Request(path, { headers: admin }))
  const stolen = await cache(new Request(path))
  await posthorn.stop()
  return stolen.status === 200 && (await stolen.text()).includes('whsec_')
})

/** A careless one: it keeps whatever it is not told to forget. */
function sharedCache(answer: Handler): Handler {
  const kept = new Map<string, Response>()
  return async (request) => {
    const known = kept.get(request.url)
    if (known !== undefined) return known.clone()
    const response = await answer(request)
    if (response.ok && !(response.headers.get('cache-control') ?? '').includes('no-store'))
      kept.set(request.url, response.clone())
    return response
  }
}

function withoutCacheControl(response: Response): Response {
  response.headers.delete('cache-control')
  return response
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}
