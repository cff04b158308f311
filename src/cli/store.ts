import type { Settings } from '../config.ts'
import { expected } from '../core/errors.ts'
import type { Store } from '../core/ports.ts'
import { sqlite } from '../stores/sqlite/index.ts'

/** The store that a database URL names. */
export function storeAt(databaseUrl: string, { secretsKey, plaintextSecrets }: Pick<Settings, 'secretsKey' | 'plaintextSecrets'>): Store {
  const path = /^sqlite:(?:\/\/)?(.+)$/s.exec(databaseUrl)?.[1]
  if (path !== undefined) return sqlite(path, { secretsKey: secretsKey ?? undefined, plaintextSecrets })
  // Only its beginning is shown: such a URL may hold a password.
  const shown = `${databaseUrl.slice(0, databaseUrl.indexOf(':') + 1)}…`
  throw expected('invalid_argument', 'database', '`sqlite:` and a path, such as sqlite:webhooks.db', shown, 'Change POSTHORN_DATABASE_URL or --database.')
}
