import { expected, PosthornError } from '../core/errors.ts'
import type { Store } from '../core/ports/ports.ts'

/** Checks the given store; an error says how to write what was probably meant. */
export function checkStore(options: unknown): Store {
  const advice = "Import `sqlite` from 'posthorn/sqlite' or `postgres` from 'posthorn/postgres'."
  const store: unknown =
    typeof options === 'object' && options !== null && 'store' in options ? options.store : undefined
  if (typeof store === 'string') {
    const call = /^postgres(ql)?:/.test(store) ? 'postgres' : 'sqlite'
    throw new PosthornError(
      'invalid_argument',
      `Expected \`store\` to be a store, got text. Did you mean ${call}('${withoutCredentials(store)}')? ${advice}`,
    )
  }
  if (typeof store === 'object' && store !== null && 'queue' in store && 'directory' in store) return store as Store
  throw expected('invalid_argument', 'store', "a store, such as sqlite('webhooks.db')", store, advice)
}

/** Errors are logged and shown: they must not contain a password. */
function withoutCredentials(url: string): string {
  return url.replace(/\/\/.*@/s, '//…@')
}
