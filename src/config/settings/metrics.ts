import { flag, wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** What Prometheus can scrape, and where. */
export const metricsSettings = {
  metrics: {
    env: ['POSTHORN_METRICS'],
    default: true,
    unit: '',
    sentence: 'Counts and times what is done, for Prometheus at /metrics; 0 switches that off.',
    read: flag(),
  },
  metricsPort: {
    env: ['POSTHORN_METRICS_PORT'],
    default: null as number | null,
    unit: '',
    sentence:
      'A port of its own for /metrics, with /livez and /readyz; 0 picks a free one. Without it, serve has /metrics on its usual port, and worker listens nowhere.',
    read: wholeNumber(0, 65_535),
  },
  metricsPublic: {
    env: ['POSTHORN_METRICS_PUBLIC'],
    default: false,
    unit: '',
    sentence: 'Answers /metrics without a key; otherwise it takes one that may read everything.',
    read: flag(),
  },
  metricsEndpoints: {
    env: ['POSTHORN_METRICS_ENDPOINTS'],
    default: 0,
    unit: 'endpoints',
    sentence: 'So many endpoints get series of their own, under a label with their id; all others share "other".',
    read: wholeNumber(0, 1_000),
  },
} satisfies Record<string, Setting<unknown>>
