import { flag, list, secretText, text, wholeNumber } from './parse-value.ts'

/** One setting: where it comes from, what it means, what it may be. */
export interface Setting<Value> {
  /** Names in the environment; the first that is set wins. Each also works with `_FILE` if it is a secret. */
  readonly env: readonly string[]
  readonly default: Value
  readonly unit: string
  readonly sentence: string
  readonly secret?: boolean
  /** What the number in the environment is multiplied by, where the value has a smaller unit. */
  readonly scale?: number
  readonly read: (text: string, name: string) => Value
}

/** Every setting there is. The library reads no environment by itself: `settingsFromEnvironment()` and the commands do. */
export const settings = {
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
    sentence: 'How long one attempt may take in all, from the look-up to the end of the answer.',
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
    sentence: 'Requests that may be open to one endpoint at once, over all workers.',
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
  historyDays: {
    env: ['POSTHORN_HISTORY_DAYS'],
    default: 30,
    unit: 'days',
    sentence: 'How long ended deliveries and their attempts are kept.',
    read: wholeNumber(1, 3_650),
  },
  allowedTargets: {
    env: ['POSTHORN_ALLOWED_TARGETS'],
    default: [] as readonly string[],
    unit: '',
    sentence:
      'CIDRs and host patterns that may be called although private, by http too, such as 127.0.0.0/8,*.internal.',
    read: list(),
  },
  allowHttp: {
    env: ['POSTHORN_ALLOW_HTTP'],
    default: false,
    unit: '',
    sentence: 'Allows http:// endpoints on public addresses.',
    read: flag(),
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
    sentence: 'Lets a policy with delays under 30 s start, with a warning each time. For tests only.',
    read: flag(),
  },
  databaseUrl: {
    env: ['POSTHORN_DATABASE_URL', 'DATABASE_URL'],
    default: 'sqlite:posthorn.db',
    unit: '',
    sentence:
      'Where deliveries are kept: sqlite:path for one process, postgres://user:password@host:port/database for any number of workers.',
    read: text(),
  },
  schema: {
    env: ['POSTHORN_SCHEMA'],
    default: 'posthorn',
    unit: '',
    sentence: 'The schema of its own in which Posthorn keeps its tables on PostgreSQL.',
    read: text(),
  },
  prepare: {
    env: ['POSTHORN_PREPARE'],
    default: true,
    unit: '',
    sentence: 'Keeps prepared statements on connections to PostgreSQL; 0 behind pgbouncer in transaction mode.',
    read: flag(),
  },
  notify: {
    env: ['POSTHORN_NOTIFY'],
    default: false,
    unit: '',
    sentence:
      'Tells workers at each commit on PostgreSQL that there is something to send (LISTEN and NOTIFY); without it they find it within 250 ms.',
    read: flag(),
  },
  secretsKey: {
    env: ['POSTHORN_SECRETS_KEY'],
    default: null as string | null,
    unit: 'base64 of 32 bytes',
    sentence: 'The key that endpoint secrets are encrypted with; SQLite creates one beside its file if there is none.',
    secret: true,
    read: text(),
  },
  plaintextSecrets: {
    env: ['POSTHORN_PLAINTEXT_SECRETS'],
    default: false,
    unit: '',
    sentence: 'Keeps endpoint secrets unencrypted. Insecure.',
    read: flag(),
  },
  host: {
    env: ['POSTHORN_HOST'],
    default: '127.0.0.1',
    unit: '',
    sentence: 'The address that the server listens on; 0.0.0.0 for all of this machine.',
    read: text(),
  },
  port: {
    env: ['POSTHORN_PORT'],
    default: 8071,
    unit: '',
    sentence: 'The port that the server listens on; 0 picks a free one.',
    read: wholeNumber(0, 65_535),
  },
  adminKey: {
    env: ['POSTHORN_ADMIN_KEY'],
    default: null as string | null,
    unit: 'at least 20 characters',
    sentence:
      'An API key that may do everything, taken as given; without it the first start creates one and shows it once.',
    secret: true,
    read: secretText(20),
  },
  serverUrl: {
    env: ['POSTHORN_SERVER'],
    default: null as string | null,
    unit: '',
    sentence:
      "The server that the operator's commands talk to, such as https://posthorn.example; without it they open the database themselves.",
    read: text(),
  },
  key: {
    env: ['POSTHORN_KEY'],
    default: null as string | null,
    unit: 'an API key',
    sentence: "The key with which the operator's commands talk to that server.",
    secret: true,
    read: text(),
  },
  portalTokenHours: {
    env: ['POSTHORN_PORTAL_TOKEN_HOURS'],
    default: 1,
    unit: 'hours',
    sentence: 'How long a link to the portal of a customer is valid, unless whoever asks for it says otherwise.',
    read: wholeNumber(1, 8_760),
  },
  rateLimitPerSecond: {
    env: ['POSTHORN_RATE_LIMIT_PER_SECOND'],
    default: 500,
    unit: 'calls',
    sentence: 'Calls of the HTTP API that one key may make per second, on each server; 0 for no limit.',
    read: wholeNumber(0, 1_000_000),
  },
  corsOrigins: {
    env: ['POSTHORN_CORS_ORIGINS'],
    default: [] as readonly string[],
    unit: '',
    sentence: 'Origins whose pages may call the HTTP API with a key, such as https://portal.example; none by default.',
    read: list(),
  },
  strict: {
    env: ['POSTHORN_STRICT'],
    default: false,
    unit: '',
    sentence:
      'Refuses fields and parameters of the HTTP API that have no effect; otherwise those of clients of Svix are named in the header x-posthorn-ignored.',
    read: flag(),
  },
  shutdownGraceMs: {
    env: ['POSTHORN_SHUTDOWN_GRACE_MS'],
    default: 35_000,
    unit: 'ms',
    sentence: 'How long a stop waits for requests and attempts that are under way.',
    read: wholeNumber(0, 600_000),
  },
} satisfies Record<string, Setting<unknown>>

export type Settings = {
  -readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'] extends infer Value
    ? Widened<Value>
    : never
}
type Widened<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends string
      ? string
      : Value

/** Every name under which a setting may be given. */
export function settingNames(): string[] {
  return Object.values<Setting<unknown>>(settings).flatMap(({ env, secret = false }) =>
    secret ? env.flatMap((name) => [name, `${name}_FILE`]) : env,
  )
}
