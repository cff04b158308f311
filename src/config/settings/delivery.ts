import { flag, list, text, wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** How deliveries are made. */
export const deliverySettings = {
  preset: {
    env: ['POSTHORN_PRESET'],
    default: 'standard',
    unit: '',
    sentence: 'Retry policy, limits and signature under one name: standard, patient, svix, gateway or gateway-6.',
    read: text(),
  },
  timeoutMs: {
    env: ['WEBHOOK_TIMEOUT_SECONDS'],
    default: 30_000,
    unit: 'seconds',
    scale: 1_000,
    sentence: 'How long one attempt may take in total, from the lookup to the end of the response.',
    read: wholeNumber(1, 300, 1_000),
  },
  maxRetries: {
    env: ['MAX_RETRY_ATTEMPTS'],
    default: 5,
    unit: 'retries',
    sentence: 'Retries of the policy standard, after the first send: n retries are n + 1 sends.',
    read: wholeNumber(0, 20),
  },
  retriesPerEndpoint: {
    env: ['RETRY_BATCH_SIZE'],
    default: 100,
    unit: 'rows',
    sentence: 'Retries that one endpoint may get per tick.',
    read: wholeNumber(1, 100_000),
  },
  pool: {
    env: ['HTTP_POOL_SIZE'],
    default: 20,
    unit: 'requests',
    sentence: 'Requests that may be open to one endpoint at once, across all workers.',
    read: wholeNumber(1, 1_000),
  },
  retriesPerTick: {
    env: ['POSTHORN_RETRIES_PER_TICK'],
    default: 10_000,
    unit: 'rows',
    sentence: 'Retries that all endpoints together may get per tick of one process.',
    read: wholeNumber(1, 1_000_000),
  },
  openRequests: {
    env: ['POSTHORN_OPEN_REQUESTS'],
    default: 5_000,
    unit: 'requests',
    sentence:
      'Requests that one process may have open at once; those to endpoints without a recent success are at most half.',
    read: wholeNumber(1, 100_000),
  },
  pollMs: {
    env: ['POSTHORN_POLL_MS'],
    default: 5_000,
    unit: 'ms',
    sentence: 'The tick: how often due rows are looked for.',
    read: wholeNumber(10, 600_000),
  },
  leaseMs: {
    env: ['POSTHORN_LEASE_MS'],
    default: 30_000,
    unit: 'ms',
    sentence: 'How long a claimed delivery belongs to its worker without a heartbeat.',
    read: wholeNumber(101, 3_600_000),
  },
  maxLeased: {
    env: ['POSTHORN_MAX_LEASED'],
    default: 5_000,
    unit: 'rows',
    sentence: 'Deliveries this process may hold at once.',
    read: wholeNumber(1, 1_000_000),
  },
  allowedTargets: {
    env: ['POSTHORN_ALLOWED_TARGETS'],
    default: [] as readonly string[],
    unit: '',
    sentence:
      'CIDRs and host patterns that may be called although they are private, also by http, such as 127.0.0.0/8,*.internal.',
    read: list(),
  },
  allowHttp: {
    env: ['POSTHORN_ALLOW_HTTP'],
    default: false,
    unit: '',
    sentence: 'Allows http:// endpoints on public addresses.',
    read: flag(),
  },
  proxyUrl: {
    env: ['POSTHORN_PROXY_URL'],
    default: null as string | null,
    unit: '',
    sentence:
      'A forward proxy for all deliveries, such as http://user:password@proxy.internal:4750; it resolves names, and must refuse private addresses.',
    secret: true,
    read: text(),
  },
  headerPrefix: {
    env: ['POSTHORN_HEADER_PREFIX'],
    default: null as string | null,
    unit: '',
    sentence:
      "What the names of the signature's headers begin with; if not given, that of the preset: svix of the preset svix, webhook of all others.",
    read: text(),
  },
  enforceSchemas: {
    env: ['POSTHORN_ENFORCE_SCHEMAS'],
    default: false,
    unit: '',
    sentence: 'Refuses messages that do not match the JSON Schema of their event type, where one is defined.',
    read: flag(),
  },
  allowUnsafeRetryDelays: {
    env: ['POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS'],
    default: false,
    unit: '',
    sentence: 'Allows policies with delays under 30 s, with a warning at each start. For tests only.',
    read: flag(),
  },
} satisfies Record<string, Setting<unknown>>
