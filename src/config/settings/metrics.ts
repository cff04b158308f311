import { flag, wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** What Prometheus can scrape, and where. */
export const metricsSettings = {
  metrics: {
    env: ['POSTHORN_METRICS'],
    default: true,
    unit: '',
    sentence: 'Serves metrics for Prometheus at /metrics; 0 switches them off.',
    read: flag(),
  },
  metricsPort: {
    env: ['POSTHORN_METRICS_PORT'],
    default: null as number | null,
    unit: '',
    sentence:
      'A separate port for /metrics, with /livez and /readyz; 0 picks a free one. Without it, serve has /metrics on its main port, and worker listens on none.',
    read: wholeNumber(0, 65_535),
  },
  metricsPublic: {
    env: ['POSTHORN_METRICS_PUBLIC'],
    default: false,
    unit: '',
    sentence: 'Answers /metrics without a key; otherwise it needs a key that may read everything.',
    read: flag(),
  },
  metricsEndpoints: {
    env: ['POSTHORN_METRICS_ENDPOINTS'],
    default: 0,
    unit: 'endpoints',
    sentence: 'The number of endpoints with separate series, labelled with their id; all others share "other".',
    read: wholeNumber(0, 1_000),
  },
} satisfies Record<string, Setting<unknown>>
