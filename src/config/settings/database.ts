import { flag, text } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** Where deliveries and secrets are stored. */
export const databaseSettings = {
  databaseUrl: {
    env: ['POSTHORN_DATABASE_URL', 'DATABASE_URL'],
    default: 'sqlite:posthorn.db',
    unit: '',
    sentence:
      'Where deliveries are stored: sqlite:path for one process, postgres://user:password@host:port/database for any number of workers.',
    read: text(),
  },
  schema: {
    env: ['POSTHORN_SCHEMA'],
    default: 'posthorn',
    unit: '',
    sentence: "The PostgreSQL schema for Posthorn's tables.",
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
    default: null as boolean | null,
    unit: '',
    sentence:
      "On PostgreSQL, workers listen for other processes' commits, and those notify them (LISTEN and NOTIFY). 1 also notifies within the application's own transactions; 0 does neither, and new deliveries are found within 250 ms.",
    read: flag(),
  },
  secretsKey: {
    env: ['POSTHORN_SECRETS_KEY'],
    default: null as string | null,
    unit: 'base64 of 32 bytes',
    sentence:
      'The key that encrypts secrets and headers of endpoints, or several separated by commas, newest first; SQLite creates one next to its file if there is none.',
    secret: true,
    read: text(),
  },
  plaintextSecrets: {
    env: ['POSTHORN_PLAINTEXT_SECRETS'],
    default: false,
    unit: '',
    sentence: 'Stores secrets and headers of endpoints unencrypted. Insecure.',
    read: flag(),
  },
} satisfies Record<string, Setting<unknown>>
