import { Registry } from 'prom-client'
import { checkCount } from '../core/limits/limits.ts'
import type { Meter } from '../core/ports/meter.ts'
import { EngineMeter } from './engine-meter.ts'

export interface MetricsOptions {
  /** So many endpoints are counted each by itself, under a label with its id; all others under "other". None unless given. */
  readonly endpointLabels?: number
}

/** The metrics of one Posthorn. */
export interface Metrics {
  /** `await registry.metrics()` is what Prometheus scrapes. */
  readonly registry: Registry
  /** The option `meter` of the Posthorn that is counted. */
  readonly meter: Meter
}

// More would make a scrape long, and Prometheus large.
const mostEndpointLabels = 1_000

/** Counts for Prometheus: `new Posthorn({ store, meter: metrics.meter })`. */
export function createMetrics({ endpointLabels = 0 }: MetricsOptions = {}): Metrics {
  checkCount('endpointLabels', endpointLabels, 0, mostEndpointLabels)
  const registry = new Registry()
  return { registry, meter: new EngineMeter(registry, endpointLabels) }
}
