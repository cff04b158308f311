/** Every code a `PosthornError` can carry; callers may switch on it, so a code never changes its meaning. */
export type ErrorCode =
  | 'invalid_argument'
  | 'unknown_preset'
  | 'unknown_policy'
  | 'unsafe_retry_delay'
  | 'invalid_url'
  | 'forbidden_address'
  | 'invalid_secret'
  | 'invalid_event_type'
  | 'invalid_header'
  | 'body_too_large'
  | 'not_serialisable'
  | 'schema_mismatch'
  | 'unknown_event_type'
  | 'invalid_id'
  | 'access_denied'
  | 'not_found'
  | 'already_exists'
  | 'in_flight'
  | 'wrong_state'
  | 'idempotency_conflict'
  | 'overloaded'
  | 'share_exceeded'
  | 'quota_exceeded'
  | 'outcome_unknown'
  | 'store_failed'
  | 'data_refused'
  | 'store_full'
  | 'store_locked'
  | 'store_in_use'
  | 'store_too_old'
  | 'driver_missing'
  | 'newer_database'
  | 'older_database'
  | 'secrets_unreadable'
  | 'stopped'
  | 'unreachable'
  | 'invalid_signature'
  | 'stale_signature'

/** The only error that Posthorn throws: its message says what was expected, what was given, and what to do. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** An error about an invalid value, always in the same form: "Expected `x` to be …, got …. What to do." */
// oxlint-disable-next-line eslint/max-params -- In this order they read like the sentence they become, wherever something is refused.
export function expected(code: ErrorCode, name: string, wanted: string, got: unknown, advice = ''): PosthornError {
  const sentence = `Expected \`${name}\` to be ${wanted}, got ${show(got)}.`
  return new PosthornError(code, advice === '' ? sentence : `${sentence} ${advice}`)
}

/** The message of anything that was thrown, for records and logs. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A short description of a value that does not reveal its content. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${value.length > 100 ? `${value.slice(0, 100)}…` : value}"`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
  return String(value)
}
