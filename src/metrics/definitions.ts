import { latencyBoundsMs } from '../core/ports/overview.ts'

/** One metric, as Prometheus and docs/metrics.md show it. */
export interface Definition {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds, for a histogram. */
  readonly buckets?: readonly number[]
}

const rows = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const shortSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

/** Every metric. Counters belong to this process; sampled values cover the whole store, and are the same in all processes. */
export const definitions = {
  buildInfo: gauge('posthorn_build_info', 'Always 1, with what runs here.', ['version', 'node', 'database']),

  messagesAccepted: counter(
    'posthorn_messages_accepted_total',
    'Messages that were stored (way="send"), or handed to a transaction of the caller, which may still be rolled back (way="transaction"). A repeat under the same idempotency key is not counted.',
    ['way'],
  ),
  messagesRefused: counter(
    'posthorn_messages_refused_total',
    'Messages that send did not accept, by the code of its error.',
    ['code'],
  ),

  attempts: counter(
    'posthorn_attempts_total',
    'Attempts whose outcome is on record: outcome="answered" with the class of its status, or what went wrong, with status_class="none".',
    ['outcome', 'status_class'],
  ),
  attemptDuration: histogram(
    'posthorn_attempt_duration_seconds',
    'How long attempts took, from the lookup of the name to the end of the response.',
    [],
    latencyBoundsMs.map((bound) => bound / 1_000),
  ),
  delivered: counter('posthorn_deliveries_delivered_total', 'Deliveries that ended with a 2xx response.', []),
  deliveryLatency: histogram(
    'posthorn_delivery_latency_seconds',
    'From send to the response that ended the delivery with success; retries, holds and a deliverAt included.',
    [],
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400],
  ),
  deadLetters: counter('posthorn_dead_letters_total', 'Deliveries that ended without success, by reason.', ['reason']),
  endpointAttempts: counter(
    'posthorn_endpoint_attempts_total',
    'Attempts by endpoint and class of status. Only with POSTHORN_METRICS_ENDPOINTS; beyond that many endpoints, endpoint="other".',
    ['endpoint', 'status_class'],
  ),
  endpointDeadLetters: counter(
    'posthorn_endpoint_dead_letters_total',
    'Dead letters by endpoint. Only with POSTHORN_METRICS_ENDPOINTS; beyond that many endpoints, endpoint="other".',
    ['endpoint'],
  ),

  inFlight: gauge(
    'posthorn_deliveries_in_flight',
    'Deliveries under a lease of this process: waiting for a window, on the wire, or waiting for a mark.',
    [],
  ),
  openRequests: gauge('posthorn_requests_open', 'Requests to endpoints that are open.', []),
  claimRows: histogram('posthorn_claim_rows', 'Deliveries that one claim took.', [], [0, ...rows]),
  claimDuration: histogram('posthorn_claim_duration_seconds', 'How long one claim took.', [], shortSeconds),
  leasesRenewed: counter('posthorn_leases_renewed_total', 'Leases that the heartbeat has renewed.', []),
  leasesLost: counter(
    'posthorn_leases_lost_total',
    'Leases that ended while their attempt was under way: code="lost" to another worker, or "renewal_failed".',
    ['code'],
  ),
  staleMarks: counter(
    'posthorn_stale_marks_refused_total',
    'Outcomes that came after the lease was lost: the attempt is on record as late, the delivery was not changed.',
    [],
  ),
  interruptions: counter(
    'posthorn_interruptions_total',
    'Attempts that were put on record because their worker ended: kind="interrupted", perhaps never sent, or "crashed", certainly begun.',
    ['kind'],
  ),
  breakerOpened: counter('posthorn_breaker_opened_total', 'Times that the breaker put an endpoint on hold.', []),
  breakerClosed: counter('posthorn_breaker_closed_total', 'Times that a success ended the hold of an endpoint.', []),

  commitGroup: histogram(
    'posthorn_commit_group_rows',
    'Rows that shared one statement, by call of the store.',
    ['call'],
    rows,
  ),
  storeDuration: histogram(
    'posthorn_store_call_duration_seconds',
    'How long calls of the store took, failed ones included; calls that share a statement count once.',
    ['call'],
    shortSeconds,
  ),
  storeErrors: counter(
    'posthorn_store_errors_total',
    'Calls of the store that failed, by call and code of the error.',
    ['call', 'code'],
  ),
  streamReaders: gauge('posthorn_stream_readers', 'Readers of the event stream of this process.', []),

  queueDepth: gauge(
    'posthorn_queue_depth',
    'Deliveries in the store: state="pending" is never attempted, "failed" waits for a retry or was requeued, "held" is open at an endpoint that is paused, disabled or held, "dead" is a dead letter. Counted up to 100000 each. Sampled.',
    ['state'],
  ),
  oldestDue: gauge(
    'posthorn_oldest_due_age_seconds',
    'For how long the oldest delivery has been due, at endpoints that nothing is held against; 0 if none is. Sampled.',
    [],
  ),
  deadLetterRate: gauge(
    'posthorn_dead_letter_rate',
    'Dead letters (exhausted, crashed) among all deliveries that ended in the last 15 minutes, from 0 to 1. Sampled.',
    [],
  ),
  endpoints: gauge(
    'posthorn_endpoints',
    'Endpoints by health: "active" without trouble, "failing" only fails, "held" by its breaker or at its own request, "paused", "disabled". Counted up to 100000. Sampled.',
    ['health'],
  ),
  workers: gauge('posthorn_workers', 'Workers that live on this store. Sampled.', []),
  diskFree: gauge(
    'posthorn_disk_free_bytes',
    'Free space on the file system of the database; absent for PostgreSQL, which runs elsewhere. Sampled.',
    [],
  ),
  diskSize: gauge('posthorn_disk_size_bytes', 'The size of that file system. Sampled.', []),
  sampleAge: gauge(
    'posthorn_sample_age_seconds',
    'How old the last sample of the store is: over a minute or two, the store does not answer.',
    [],
  ),
} as const satisfies Record<string, Definition>

function counter(name: string, help: string, labels: readonly string[]): Definition {
  return { kind: 'counter', name, help, labels }
}

function gauge(name: string, help: string, labels: readonly string[]): Definition {
  return { kind: 'gauge', name, help, labels }
}

function histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Definition {
  return { kind: 'histogram', name, help, labels, buckets }
}
