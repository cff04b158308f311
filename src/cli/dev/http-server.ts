import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import { PosthornError } from '../../core/errors.ts'
import type { Posthorn } from '../../posthorn.ts'
import { byKey, isLoopback, keyless } from '../../server/request/authentication.ts'
import { handler } from '../../server/handler.ts'
import { startHttpServer } from '../../server/http/http-server.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import type { Log } from '../logs/log.ts'
import { createFirstKey } from '../processes/first-key.ts'
import { handlerOptions } from '../processes/handler-options.ts'
import type { CommandMetrics } from '../processes/metrics.ts'

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
  const { adminKey, host } = settings
  const needsKey = adminKey !== null || !isLoopback(host)
  const answer = handler(posthorn, { ...handlerOptions(settings, server.url, log), keyless: !needsKey })
  const { authorize } = byKey(posthorn, adminKey)
  const counted = metrics.serve(posthorn, needsKey ? authorize : keyless(authorize), answer)
  server.serve(counted, () => posthorn.audit({ limit: 1 }))
  return needsKey && adminKey === null ? createFirstKey(posthorn, { isTerminal, database: null }) : null
}
