import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { Meter } from '../../core/ports/meter.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Handler } from '../../server/handler.ts'
import { startHttpServer } from '../../server/http/http-server.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import { nothingElse, withMetrics } from '../../server/http/metrics.ts'
import type { MetricsRegistry } from '../../server/http/metrics.ts'
import type { Authorize } from '../../server/request/authentication.ts'

type MetricsSettings = Pick<Settings, 'host' | 'metrics' | 'metricsPort' | 'metricsPublic' | 'metricsEndpoints'>

/** What a command counts, and the port of its own on which it says so, if one was set. Both are there before anything is claimed. */
export async function openMetrics(settings: MetricsSettings): Promise<CommandMetrics> {
  const { host, metrics, metricsPort: port, metricsEndpoints: endpointLabels } = settings
  const options = { host, clock: systemClock, portSetting: 'POSTHORN_METRICS_PORT' }
  const listening = port === null ? null : await startHttpServer({ ...options, port })
  // Not even loaded if nobody wants it.
  const created = metrics ? (await import('../../metrics/index.ts')).createMetrics({ endpointLabels }) : null
  return new CommandMetrics(settings, listening, created)
}

interface Counted {
  readonly registry: MetricsRegistry
  readonly meter: Meter
}

export class CommandMetrics {
  readonly #isPublic: boolean
  readonly #listening: HttpServer | null
  readonly #counted: Counted | null

  constructor({ metricsPublic }: MetricsSettings, listening: HttpServer | null, counted: Counted | null) {
    this.#isPublic = metricsPublic
    this.#listening = listening
    this.#counted = counted
  }

  /** Null if nothing is counted. */
  get meter(): Meter | null {
    return this.#counted?.meter ?? null
  }

  /** Where its own port is; null if it has none. */
  get url(): string | null {
    return this.#listening?.url ?? null
  }

  /** Answers on a port of its own from now on; without one it is part of the handler that it returns. */
  serve(posthorn: Posthorn, authorize: Authorize, handler: Handler = nothingElse): Handler {
    const options =
      this.#counted === null ? null : { registry: this.#counted.registry, authorize: this.#isPublic ? null : authorize }
    if (this.#listening === null) return withMetrics(handler, options)
    this.#listening.serve(withMetrics(nothingElse, options), () => posthorn.audit({ limit: 1 }))
    return handler
  }

  /** Its port is not ready any more, and still answers. */
  retire(): void {
    this.#listening?.retire()
  }

  async close(): Promise<void> {
    await this.#listening?.close()
  }
}
