import { lookup } from 'node:dns/promises'
import { connect as connectPlain } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import { checkUrl } from '../../core/endpoint/endpoint.ts'
import { messageOf, PosthornError } from '../../core/errors.ts'
import { second } from '../../core/time.ts'
import { makeGuard } from '../../transport/guard.ts'
import type { EndpointResponse } from '../http-api/responses.ts'
import { pathSegment } from '../http-api/api-client.ts'
import type { ApiClient } from '../http-api/api-client.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

const connectTimeoutMs = 10 * second

/** Whether the settings allow calling an endpoint, and whether it can be reached from here. */
export async function endpointChecks(
  given: string,
  settings: Settings,
  openClient: () => Promise<ApiClient>,
): Promise<Check[]> {
  let url: URL | null = null
  const guard = makeGuard(settings)
  const allowed = await runCheck('address', async () => {
    url = given.includes('://') ? checkUrl(given) : await urlOf(given, openClient)
    guard.checkUrl(url)
    const hostname = hostOf(url)
    const addresses = (await lookup(hostname, { all: true })).map(({ address }) => address)
    const refused = addresses.filter((address) => !guard.allows(address, hostname, portOf(url as URL)))
    if (refused.length === 0) return well(`${url.host} may be called: ${addresses.join(', ')}.`)
    return trouble(
      'fail',
      `${url.host} leads to ${refused.join(', ')}, which may not be called.`,
      'Public addresses may, and what POSTHORN_ALLOWED_TARGETS lists.',
    )
  })
  return url === null || allowed.level === 'fail' ? [allowed] : [allowed, await reachCheck(url)]
}

async function urlOf(id: string, openClient: () => Promise<ApiClient>): Promise<URL> {
  const client = await openClient()
  try {
    const { url } = await client.request<EndpointResponse>('GET', `/endpoint/${pathSegment(id)}`)
    return new URL(url)
  } finally {
    await client.close()
  }
}

/** Only connects: a request would be a webhook that nobody sent. */
function reachCheck(url: URL): Promise<Check> {
  return runCheck('reach', async () => {
    const startedAt = systemClock.now()
    await connected(url)
    const kind = url.protocol === 'https:' ? 'TLS connections' : 'connections'
    return well(`${url.host} takes ${kind} within ${systemClock.now() - startedAt} ms.`)
  })
}

function connected(url: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const address = { host: hostOf(url), port: portOf(url) }
    const isSecure = url.protocol === 'https:'
    const socket: Socket = isSecure ? connectSecure({ ...address, servername: address.host }) : connectPlain(address)
    const disarm = systemClock.after(connectTimeoutMs, () =>
      socket.destroy(new Error(`no answer within ${connectTimeoutMs / second} s`)),
    )
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      disarm()
      socket.destroy()
      resolve()
    })
    socket.once('error', (cause) => {
      disarm()
      reject(
        new PosthornError('unreachable', `Expected ${url.host} to take a connection: ${messageOf(cause)}.`, { cause }),
      )
    })
  })
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
