import type { Registry } from 'prom-client'
import type { FailureKind, OutcomeKind } from '../core/delivery/attempt.ts'
import { PosthornError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { DeadReason } from '../core/delivery/delivery.ts'
import type { Meter, MeteredClaim, MeteredMark, MeterSource } from '../core/ports/meter.ts'
import type { Claim, Marked } from '../core/ports/queue.ts'
import { second } from '../core/time.ts'
import { Buckets } from './buckets.ts'
import { definitions } from './definitions.ts'
import { EndpointLabels } from './endpoint-labels.ts'
import { registerGauges } from './gauges.ts'
import type { Watched } from './gauges.ts'
import { Sampler } from './sampler.ts'
import { Tally } from './tally.ts'

// Tables, so that the compiler reports a missing one.
const failures: Readonly<Record<FailureKind, string>> = {
  timeout: 'timeout none',
  dns: 'dns none',
  connect: 'connect none',
  tls: 'tls none',
  reset: 'reset none',
  protocol: 'protocol none',
  forbidden: 'forbidden none',
  authentication: 'authentication none',
  proxy: 'proxy none',
}
const reasons: Readonly<Record<DeadReason, true>> = {
  exhausted: true,
  cancelled: true,
  expired: true,
  crashed: true,
  gone: true,
}
const classes = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']
const answers = classes.map((statusClass) => `answered ${statusClass}`)
const usualOutcomes = [...answers.slice(2), ...Object.values(failures)]

/** Counts for Prometheus what one Posthorn does. */
export class EngineMeter implements Meter {
  readonly #accepted: Tally
  readonly #refused: Tally
  readonly #attempts: Tally
  readonly #attemptSeconds: Buckets
  readonly #delivered: Tally
  readonly #latencySeconds: Buckets
  readonly #dead: Tally
  readonly #endpoints: EndpointTallies | null
  readonly #claimRows: Buckets
  readonly #claimSeconds: Buckets
  readonly #renewed: Tally
  readonly #lost: Tally
  readonly #stale: Tally
  readonly #interruptions: Tally
  readonly #opened: Tally
  readonly #closed: Tally
  readonly #groupRows: Buckets
  readonly #storeSeconds: Buckets
  readonly #storeErrors: Tally
  #watched: Watched | null = null

  constructor(registry: Registry, mostEndpoints: number) {
    this.#accepted = new Tally(registry, definitions.messagesAccepted, ['send', 'transaction'])
    this.#refused = new Tally(registry, definitions.messagesRefused)
    this.#attempts = new Tally(registry, definitions.attempts, usualOutcomes)
    this.#attemptSeconds = new Buckets(registry, definitions.attemptDuration)
    this.#delivered = new Tally(registry, definitions.delivered)
    this.#latencySeconds = new Buckets(registry, definitions.deliveryLatency)
    this.#dead = new Tally(registry, definitions.deadLetters, Object.keys(reasons))
    this.#endpoints = mostEndpoints === 0 ? null : new EndpointTallies(registry, mostEndpoints)
    this.#claimRows = new Buckets(registry, definitions.claimRows)
    this.#claimSeconds = new Buckets(registry, definitions.claimDuration)
    this.#renewed = new Tally(registry, definitions.leasesRenewed)
    this.#lost = new Tally(registry, definitions.leasesLost, ['lost', 'renewal_failed'])
    this.#stale = new Tally(registry, definitions.staleMarks)
    this.#interruptions = new Tally(registry, definitions.interruptions, ['interrupted', 'crashed'])
    this.#opened = new Tally(registry, definitions.breakerOpened)
    this.#closed = new Tally(registry, definitions.breakerClosed)
    this.#groupRows = new Buckets(registry, definitions.commitGroup)
    this.#storeSeconds = new Buckets(registry, definitions.storeDuration)
    this.#storeErrors = new Tally(registry, definitions.storeErrors)
    registerGauges(registry, () => this.#watched)
  }

  nowMs(): number {
    return performance.now()
  }

  attach(source: MeterSource): void {
    if (this.#watched !== null)
      throw new PosthornError(
        'invalid_argument',
        'Expected `meter` to be given to one Posthorn, got it for a second. Create one for each with createMetrics().',
      )
    this.#watched = { source, sampler: new Sampler(source) }
    // Rare things are counted by their events; for every delivery, a listener would cost more than a call.
    source.on('delivery.dead', ({ reason, webhook_id }) => {
      this.#dead.add(reason)
      this.#endpoints?.died(webhook_id)
    })
    source.on('lease.lost', ({ code }) => this.#lost.add(code))
    source.on('breaker.opened', () => this.#opened.add(''))
    source.on('breaker.closed', () => this.#closed.add(''))
  }

  opened(): void {
    this.#watched?.sampler.start()
  }

  async stopped(): Promise<void> {
    await this.#watched?.sampler.stop()
  }

  messageAccepted(way: 'send' | 'transaction'): void {
    this.#accepted.add(way)
  }

  messagesRefused(code: ErrorCode, count: number): void {
    this.#refused.add(code, count)
  }

  claimed(claims: readonly Pick<Claim, 'tookOver'>[], tookMs: number): void {
    this.#claimRows.observe(claims.length)
    this.#claimSeconds.observe(tookMs / second)
    for (const { tookOver } of claims) if (tookOver !== null) this.#interruptions.add(tookOver)
  }

  marked({ delivery }: MeteredClaim, { mark, attempt }: MeteredMark, marked: Marked): void {
    if (marked === 'lost') this.#stale.add('')
    if (attempt === null) return
    const { outcome, statusCode, startedAt, tookMs } = attempt
    this.#attempts.add(outcomeOf(outcome, statusCode))
    this.#attemptSeconds.observe(tookMs / second)
    this.#endpoints?.attempted(delivery.endpointId, statusCode)
    if (mark.status !== 'delivered' || marked === 'lost') return
    this.#delivered.add('')
    this.#latencySeconds.observe(Math.max(startedAt + tookMs - delivery.createdAt, 0) / second)
  }

  interrupted(): void {
    this.#interruptions.add('interrupted')
  }

  leasesRenewed(count: number): void {
    this.#renewed.add('', count)
  }

  storeCalled(call: string, tookMs: number): void {
    this.#storeSeconds.observe(tookMs / second, call)
  }

  storeFailed(call: string, code: ErrorCode, tookMs: number): void {
    this.#storeSeconds.observe(tookMs / second, call)
    this.#storeErrors.add(`${call} ${code}`)
  }

  committed(call: string, rows: number): void {
    this.#groupRows.observe(rows, call)
  }
}

/** Counts by endpoint, if enabled. */
class EndpointTallies {
  readonly #labels: EndpointLabels
  readonly #attempts: Tally
  readonly #dead: Tally

  constructor(registry: Registry, most: number) {
    this.#labels = new EndpointLabels(most)
    this.#attempts = new Tally(registry, definitions.endpointAttempts)
    this.#dead = new Tally(registry, definitions.endpointDeadLetters)
  }

  attempted(endpointId: string, statusCode: number | null): void {
    this.#attempts.add(`${this.#labels.nameOf(endpointId)} ${classes[classOf(statusCode)] ?? 'other'}`)
  }

  died(endpointId: string): void {
    this.#dead.add(this.#labels.nameOf(endpointId))
  }
}

function outcomeOf(outcome: OutcomeKind, statusCode: number | null): string {
  if (outcome !== 'answered') return failures[outcome]
  return answers[classOf(statusCode)] ?? 'answered other'
}

function classOf(statusCode: number | null): number {
  return statusCode === null ? 0 : Math.floor(statusCode / 100)
}
