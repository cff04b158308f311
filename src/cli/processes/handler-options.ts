import { describeSettings } from '../../config/describe.ts'
import { commandSources } from '../../config/environment.ts'
import type { Settings } from '../../config/settings.ts'
import type { HandlerOptions } from '../../server/handler.ts'
import { checkOrigins } from '../../server/http/cors.ts'
import { checkPublicUrl } from '../../server/http/url.ts'
import type { Log } from '../logs/log.ts'
import { requestLog } from '../logs/requests.ts'
import { portalOptions } from './portal.ts'

/** The options of the HTTP API in a command, from its settings; `url` is where the server listens. */
export function handlerOptions(settings: Settings, url: string, log: Log): HandlerOptions {
  const { adminKey, corsOrigins, portalTokenHours, publicUrl, rateLimitPerSecond, strict } = settings
  return {
    adminKey,
    corsOrigins: checkOrigins(corsOrigins, 'POSTHORN_CORS_ORIGINS'),
    portal: portalOptions(settings, log),
    portalTokenHours,
    publicUrl: checkPublicUrl(publicUrl, 'POSTHORN_PUBLIC_URL') ?? url,
    rateLimitPerSecond,
    messagesPerSecondPerApplication: settings.messagesPerSecondPerApplication,
    strict,
    settings: describeSettings(commandSources()),
    ...requestLog(log),
  }
}
