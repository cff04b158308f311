import { flag, list, secretText, text, wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** The server, and the operator's commands. */
export const serverSettings = {
  host: {
    env: ['POSTHORN_HOST'],
    default: '127.0.0.1',
    unit: '',
    sentence: 'The address that the server listens on; 0.0.0.0 for all addresses of this machine.',
    read: text(),
  },
  port: {
    env: ['POSTHORN_PORT'],
    default: 8071,
    unit: '',
    sentence: 'The port that the server listens on; 0 picks a free one.',
    read: wholeNumber(0, 65_535),
  },
  engineThread: {
    env: ['POSTHORN_ENGINE_THREAD'],
    default: true,
    unit: '',
    sentence:
      'Lets serve store and deliver in a separate thread from the one that answers requests: neither waits for the other. 0 does both in one, which takes less memory.',
    read: flag(),
  },
  publicUrl: {
    env: ['POSTHORN_PUBLIC_URL'],
    default: null as string | null,
    unit: '',
    sentence:
      'The URL at which customers reach the server, such as https://hooks.example: links to the portal begin with it. Without it they begin with the address that the server listens on.',
    read: text(),
  },
  adminKey: {
    env: ['POSTHORN_ADMIN_KEY'],
    default: null as string | null,
    unit: 'at least 20 characters',
    sentence:
      'An API key with access to everything. Without it the first start creates one, and shows it once on a terminal, or writes it to a file next to the database that only its owner can read.',
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
    sentence: "How long a customer's link to the portal is valid by default.",
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
      'Refuses fields and parameters of the HTTP API that have no effect; otherwise those that Svix clients send are listed in the header x-posthorn-ignored.',
    read: flag(),
  },
  shutdownGraceMs: {
    env: ['POSTHORN_SHUTDOWN_GRACE_MS'],
    default: 35_000,
    unit: 'ms',
    sentence: 'How long a stop waits for requests and attempts under way.',
    read: wholeNumber(0, 600_000),
  },
} satisfies Record<string, Setting<unknown>>
