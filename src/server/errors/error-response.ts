import { messageOf, PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { inHttpTerms } from './http-terms.ts'

/** What is wrong with one field, in the form that Svix clients know. */
export interface Problem {
  /** Where: `body`, `query` or `header`, then the path to the field. */
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** An unexpected error. It is reported to the operator of the server; the caller learns nothing about it. */
export interface Incident {
  readonly operation: string
  readonly error: unknown
}

export type Report = (incident: Incident) => void

/** A refusal: `{code, detail}`. */
export function refusal(
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ code, detail }, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** 422, naming each invalid field. */
export function unprocessable(problems: readonly Problem[]): Response {
  return Response.json({ detail: problems }, { status: 422, headers: { 'cache-control': 'no-store' } })
}

/** The response to whatever an operation threw: never its stack, and for an unexpected error no details at all. */
export function answerTo(thrown: unknown, operation: string, report: Report): Response {
  const status = thrown instanceof PosthornError ? statusOf[thrown.code] : 500
  if (!(thrown instanceof PosthornError) || status === 500) {
    report({ operation, error: thrown })
    return refusal(500, 'internal_error', 'Something went wrong here, and was reported to the operator of this server.')
  }
  const { code } = thrown
  const message = inHttpTerms(thrown.message)
  if (status === 422) return unprocessable([{ loc: placeIn(code, message), msg: message, type: `value_error.${code}` }])
  if (status === 429) return refusal(429, code, message, { 'retry-after': '1' })
  if (status !== 503) return refusal(status, code, message)
  // A store's own messages are for its operator.
  if (code !== 'overloaded') report({ operation, error: thrown })
  return refusal(503, code, unavailable[code] ?? message, { 'retry-after': '1' })
}

/** A log line: what was called, and how it ended, with a stack if it is a defect. */
export function incidentLine({ operation, error }: Incident): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : ''
  const said =
    error instanceof PosthornError
      ? `${error.code}: ${error.message}${cause}`
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
  return `${operation}: ${said}`
}

const statusOf: Readonly<Record<ErrorCode, 404 | 409 | 413 | 422 | 429 | 500 | 503>> = {
  not_found: 404,
  already_exists: 409,
  in_flight: 409,
  wrong_state: 409,
  idempotency_conflict: 409,
  quota_exceeded: 409,
  body_too_large: 413,
  invalid_argument: 422,
  data_refused: 422,
  invalid_event_type: 422,
  invalid_header: 422,
  invalid_id: 422,
  invalid_secret: 422,
  invalid_url: 422,
  forbidden_address: 422,
  not_serialisable: 422,
  schema_mismatch: 422,
  unknown_event_type: 422,
  unknown_policy: 422,
  unknown_preset: 422,
  share_exceeded: 429,
  overloaded: 503,
  outcome_unknown: 503,
  stopped: 503,
  store_failed: 503,
  store_full: 503,
  store_locked: 503,
  store_in_use: 503,
  store_too_old: 503,
  driver_missing: 503,
  newer_database: 503,
  older_database: 503,
  // No caller can cause these.
  access_denied: 500,
  unreachable: 500,
  invalid_signature: 500,
  stale_signature: 500,
  secrets_unreadable: 500,
  unsafe_retry_delay: 500,
}

/** An error about a value names it first: "Expected `url` to be …". */
function placeIn(code: ErrorCode, message: string): string[] {
  if (code === 'schema_mismatch') return ['body', 'payload']
  const name = /^Expected `([^`]+)`/.exec(message)?.[1]
  // If the body does not name the application, it is the one in the path.
  if (name === 'application') return ['path', 'app_id']
  return name === undefined ? ['body'] : ['body', ...name.split('.')]
}

const storeFailed = 'The database did not do this. Repeat the request later.'
const unavailable: Readonly<Partial<Record<ErrorCode, string>>> = {
  outcome_unknown: 'Whether this was done is not known. Repeat it under the same idempotency-key.',
  stopped: 'This server is stopping. Repeat the request.',
  store_failed: storeFailed,
  store_full: storeFailed,
  store_locked: storeFailed,
  store_in_use: storeFailed,
  store_too_old: storeFailed,
  driver_missing: storeFailed,
  newer_database: storeFailed,
  older_database: storeFailed,
}
