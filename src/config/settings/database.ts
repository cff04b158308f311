import { flag, text } from '../parse-value.ts'
import type { Setting } from './setting.ts'

/** Where deliveries and secrets are stored. */
export const databaseSettings = {
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
    default: null as boolean | null,
    unit: '',
    sentence:
      'Workers on PostgreSQL listen for what other processes store, which those notify them of after their commits (LISTEN and NOTIFY). 1 also notifies within transactions of the application, 0 does neither: what was stored is found within 250 ms.',
    read: flag(),
  },
  secretsKey: {
    env: ['POSTHORN_SECRETS_KEY'],
    default: null as string | null,
    unit: 'base64 of 32 bytes',
    sentence:
      'The key that secrets and headers of endpoints are encrypted with, or several with commas between them, newest first; SQLite creates one beside its file if there is none.',
    secret: true,
    read: text(),
  },
  plaintextSecrets: {
    env: ['POSTHORN_PLAINTEXT_SECRETS'],
    default: false,
    unit: '',
    sentence: 'Keeps secrets and headers of endpoints unencrypted. Insecure.',
    read: flag(),
  },
} satisfies Record<string, Setting<unknown>>
