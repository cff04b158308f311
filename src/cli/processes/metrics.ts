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

/** A command's metrics, and their separate port if one is configured. Both are ready before anything is claimed. */
export async function openMetrics(settings: MetricsSettings): Promise<CommandMetrics> {
  const { host, metrics, metricsPort: port, metricsEndpoints: endpointLabels } = settings
  const options = { host, clock: systemClock, portSetting: 'POSTHORN_METRICS_PORT' }
  const listening = port === null ? null : await startHttpServer({ ...options, port })
  // Not even loaded if it is off.
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

  /** The URL of the separate port; null if there is none. */
  get url(): string | null {
    return this.#listening?.url ?? null
  }

  /** Starts answering on the separate port; without one, metrics are part of the returned handler. */
  serve(posthorn: Posthorn, authorize: Authorize, handler: Handler = nothingElse): Handler {
    const options =
      this.#counted === null ? null : { registry: this.#counted.registry, authorize: this.#isPublic ? null : authorize }
    if (this.#listening === null) return withMetrics(handler, options)
    this.#listening.serve(withMetrics(nothingElse, options), () => posthorn.audit({ limit: 1 }))
    return handler
  }

  /** The port is no longer ready, but still answers. */
  retire(): void {
    this.#listening?.retire()
  }

  async close(): Promise<void> {
    await this.#listening?.close()
  }
}
