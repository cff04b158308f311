/** What each code means, and what to do. */
const rows = {
  invalid_argument: [
    'An option, field, flag or setting is not what it must be.',
    'The message names it, what was expected and what came.',
  ],
  unknown_preset: [
    '`POSTHORN_PRESET` or `preset` names none.',
    'Choose `standard`, `patient`, `svix`, `gateway` or `gateway-6`.',
  ],
  unknown_policy: [
    'An endpoint names a retry policy that this process does not have.',
    'Choose one of those listed, or add it to `policies`.',
  ],
  unsafe_retry_delay: [
    'A retry policy has delays under 30 s.',
    'Use longer ones: short retries turn a customer’s trouble into an outage.',
  ],
  invalid_url: [
    'The URL of an endpoint cannot be called.',
    'Give an absolute https URL, without a user or password in it.',
  ],
  forbidden_address: [
    'The URL leads to a private, local or reserved address.',
    'If that is meant, list it in `POSTHORN_ALLOWED_TARGETS` (`allowedTargets`).',
  ],
  invalid_secret: ['A secret has the wrong form.', '`whsec_` and 24 to 64 bytes in base64, or an ed25519 key.'],
  invalid_event_type: [
    'An event type has the wrong form.',
    'Words of letters, digits, `_` and `-`, joined by dots: `invoice.paid`.',
  ],
  invalid_header: [
    'A header of an endpoint cannot be sent, or is reserved.',
    'Choose another name; `webhook-` and `svix-` are ours.',
  ],
  body_too_large: ['A payload is larger than 1 MiB.', 'Send an id or a link to it, and let the receiver fetch it.'],
  not_serialisable: [
    '`data` is no JSON value, or `payload` neither text nor bytes.',
    'Give `data` what `JSON.stringify` can write, or bytes as `payload`.',
  ],
  schema_mismatch: ['A payload does not match the schema of its type.', 'Correct the payload, or the schema.'],
  unknown_event_type: ['The type is not among those declared in `events`.', 'Declare it, or correct its name.'],
  invalid_id: ['An id has the wrong form.', 'Ids look like `msg_…`, `dlv_…`, `ep_…`.'],
  access_denied: [
    'The key that the command line uses is none, or has no access to this.',
    'Give one that has, with `POSTHORN_KEY` or `--key-file`.',
  ],
  not_found: [
    'There is nothing of this id or uid, or it is another application’s.',
    'Look it up with `ls` or the list of its kind.',
  ],
  already_exists: [
    'Something of this uid, name or event id is there already.',
    'Use that one, or choose another name.',
  ],
  in_flight: ['The delivery is being sent right now.', 'Try again in a moment.'],
  wrong_state: [
    'It has ended, or is not in a state in which this can be done.',
    'The message says which state it is in.',
  ],
  idempotency_conflict: [
    'The idempotency key was used for something else, or that call is still under way.',
    'Use a new key for a new message.',
  ],
  overloaded: ['More is under way than this process takes.', 'Repeat it later; over HTTP after `retry-after`.'],
  share_exceeded: [
    'A key holds as much of the API as is still free for others: requests under way, their bytes, stream readers or sessions.',
    'Let some of it end first; over HTTP repeat it after `retry-after`.',
  ],
  quota_exceeded: [
    'The application has as many endpoints or filters, or sends as fast, as its quota allows.',
    'The message names the setting. Raise it, or remove what is no longer needed.',
  ],
  outcome_unknown: [
    'The store did not answer in time: it may be stored or not.',
    'Repeat it under the same idempotency key: it is stored once.',
  ],
  store_failed: [
    'The database failed in a way that has no code of its own.',
    'See the cause, and the log of the database. `posthorn doctor` looks at it.',
  ],
  data_refused: [
    'The database does not take this data, such as a NUL in a text for PostgreSQL.',
    'Correct what is sent; repeating it does not help.',
  ],
  store_full: ['The disk, or the quota of the database, is full.', 'Free some space. Nothing was stored.'],
  store_locked: ['Another program holds the database locked for too long.', 'End its long transaction; then repeat.'],
  store_in_use: [
    'Another process delivers from this SQLite file.',
    'The message names its pid and host. Stop it, or use PostgreSQL for several workers.',
  ],
  store_too_old: ['The release of SQLite or PostgreSQL is too old.', 'SQLite 3.51.3, PostgreSQL 14, or later.'],
  driver_missing: [
    'The package that talks to the database is not installed.',
    'Install what the message names: `npm install @photostructure/sqlite`, or `npm install pg`.',
  ],
  newer_database: [
    'A later release has migrated the database.',
    'Upgrade this process. A worker finishes what is under way, and ends.',
  ],
  older_database: ['The database is of an earlier release.', 'Run `posthorn migrate`.'],
  secrets_unreadable: [
    'Secrets were encrypted with another key.',
    'Give `POSTHORN_SECRETS_KEY` (or the `.key` file beside the SQLite file) as it was.',
  ],
  stopped: ['`stop` was called, or the server is stopping.', 'Ask another process, or start a new one.'],
  unreachable: ['The command line cannot reach the server.', 'Check `POSTHORN_SERVER`, and whether it runs.'],
  invalid_signature: [
    'A request is not from the holder of the secret, or was changed.',
    'Verify the raw body, with this endpoint’s secret.',
  ],
  stale_signature: [
    'The timestamp of a request is more than five minutes off.',
    'Check the clock; it may be a replay.',
  ],
}

/** docs/reference/errors.md: every code, from the text of src/core/errors.ts and of src/server/errors/error-response.ts. */
export function errorsPage(source, statusSource) {
  const codes = codesIn(source)
  const extra = Object.keys(rows).filter((code) => !codes.includes(code))
  if (extra.length > 0)
    throw new Error(
      `Expected only codes of src/core/errors.ts, got ${extra.join(', ')}. Remove them from scripts/reference/errors-page.js.`,
    )
  return [
    '# Errors by code',
    '',
    '<!-- Generated by `npm run docs` from src/core/errors.ts: change it there, and the sentences in scripts/reference/errors-page.js. -->',
    '',
    'The library throws `PosthornError` with one of these in `code`; its message says what was expected, what came, and what to do. The HTTP API answers with the status, and the code in its body (`type:',
    'value_error.<code>` of a 422). A code never changes its meaning.',
    '',
    '| code | HTTP | what it means | what to do |',
    '|---|---|---|---|',
    ...codes.map((code) => `| \`${code}\` | ${statusOf(statusSource, code)} | ${sentencesOf(code).join(' | ')} |`),
    '',
    'Only over HTTP: `authentication_failed` (401), `permission_denied` (403), `method_not_allowed` (405), `rate_limited` (429), `session_exists` (409), `internal_error` (500), `body_was_read` (500): see [responses](../http-api.md#responses).',
    '',
  ].join('\n')
}

function sentencesOf(code) {
  if (Object.hasOwn(rows, code)) return rows[code]
  throw new Error(
    `Expected sentences about the error ${code}, found none. Add them to scripts/reference/errors-page.js.`,
  )
}

function codesIn(source) {
  const [, union = ''] = /export type ErrorCode =\n([\s\S]*?)\n\n/.exec(source) ?? []
  return [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
}

function statusOf(source, code) {
  const [, status = '–'] = new RegExp(`^ {2}${code}: (\\d{3}),`, 'm').exec(source) ?? []
  return status
}
