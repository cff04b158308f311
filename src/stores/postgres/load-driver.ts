import { createRequire } from 'node:module'
import type * as Pg from 'pg'
import { messageOf, PosthornError } from '../../core/errors.ts'

const loadModule = createRequire(import.meta.url)

/** The package `pg`, loaded with our first own connection: with a pool of the application, the application's copy is enough. */
export function loadPg(load: (name: string) => unknown = loadModule): typeof Pg {
  try {
    return load('pg') as typeof Pg
  } catch (cause) {
    const [reason = ''] = messageOf(cause).split('\n')
    throw new PosthornError(
      'driver_missing',
      `Expected the package \`pg\`, which talks to PostgreSQL, got "${reason}". Install it: npm install pg`,
      { cause },
    )
  }
}
