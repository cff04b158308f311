import { systemClock } from '../../clock.ts'
import { describeSettings } from '../../config/describe.ts'
import { commandSources } from '../../config/environment.ts'
import type { Settings } from '../../config/settings.ts'
import { PosthornError } from '../../core/errors.ts'
import type { Posthorn } from '../../posthorn.ts'
import { byKey, isLoopback, keyless } from '../../server/request/authentication.ts'
import { checkOrigins } from '../../server/http/cors.ts'
import { handler } from '../../server/handler.ts'
import { startHttpServer } from '../../server/http/http-server.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import { checkPublicUrl } from '../../server/http/url.ts'
import type { Log } from '../logs/log.ts'
import { requestLog } from '../logs/requests.ts'
import { createFirstKey } from '../processes/first-key.ts'
import type { CommandMetrics } from '../processes/metrics.ts'
import { portalOptions } from '../processes/portal.ts'

/** The server of `posthorn dev`: on the requested port, or on any port if none was requested and the default one is taken. */
export async function openHttpServer(settings: Settings, given: Partial<Settings>): Promise<HttpServer> {
  const { host, port } = settings
  try {
    return await startHttpServer({ host, port, clock: systemClock })
  } catch (thrown) {
    if (given.port !== undefined || !(thrown instanceof PosthornError)) throw thrown
    return startHttpServer({ host, port: 0, clock: systemClock })
  }
}

interface AnswerParts {
  readonly server: HttpServer
  readonly metrics: CommandMetrics
  readonly posthorn: Posthorn
  readonly settings: Settings
}

/** Starts answering: without a key if only this machine can connect, and none was set. Returns the line about the key, if one was created. */
export async function answerRequests(
  { server, metrics, posthorn, settings }: AnswerParts,
  log: Log,
  isTerminal: boolean,
): Promise<string | null> {
  const { adminKey, corsOrigins, portalTokenHours, publicUrl, rateLimitPerSecond, strict, host } = settings
  const needsKey = adminKey !== null || !isLoopback(host)
  const answer = handler(posthorn, {
    adminKey,
    corsOrigins: checkOrigins(corsOrigins, 'POSTHORN_CORS_ORIGINS'),
    keyless: !needsKey,
    portal: portalOptions(settings, log),
    portalTokenHours,
    publicUrl: checkPublicUrl(publicUrl, 'POSTHORN_PUBLIC_URL') ?? server.url,
    rateLimitPerSecond,
    messagesPerSecondPerApplication: settings.messagesPerSecondPerApplication,
    strict,
    settings: describeSettings(commandSources()),
    ...requestLog(log),
  })
  const { authorize } = byKey(posthorn, adminKey)
  const counted = metrics.serve(posthorn, needsKey ? authorize : keyless(authorize), answer)
  server.serve(counted, () => posthorn.audit({ limit: 1 }))
  return needsKey && adminKey === null ? createFirstKey(posthorn, { isTerminal, database: null }) : null
}
