import { Registry } from 'prom-client'
import { checkCount } from '../core/limits/limits.ts'
import type { Meter } from '../core/ports/meter.ts'
import { EngineMeter } from './engine-meter.ts'

export interface MetricsOptions {
  /** The number of endpoints that are counted separately, labelled with their id; all others count as "other". None by default. */
  readonly endpointLabels?: number
}

/** The metrics of one Posthorn. */
export interface Metrics {
  /** `await registry.metrics()` returns what Prometheus scrapes. */
  readonly registry: Registry
  /** The `meter` option of the Posthorn to be counted. */
  readonly meter: Meter
}

// More would make scrapes slow, and Prometheus large.
const mostEndpointLabels = 1_000

/** Metrics for Prometheus: `new Posthorn({ store, meter: metrics.meter })`. */
export function createMetrics({ endpointLabels = 0 }: MetricsOptions = {}): Metrics {
  checkCount('endpointLabels', endpointLabels, 0, mostEndpointLabels)
  const registry = new Registry()
  return { registry, meter: new EngineMeter(registry, endpointLabels) }
}
