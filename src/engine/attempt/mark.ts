import { messageOf } from '../../core/errors.ts'
import type { Claim, Marked, SettledAttempt } from '../../core/ports/queue.ts'
import type { NewEvent } from '../bus.ts'
import type { EngineParts } from '../parts.ts'

const firstRetryMs = 50
const longestRetryMs = 2_000

/** Stores the results of attempts, retrying for as long as necessary, and emits events once they are stored. */
export class Marks {
  readonly #parts: EngineParts
  readonly #sleepers = new Set<() => void>()
  #abandoned = false

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Resolves once the mark is stored, and retries while the store fails. Null if it was abandoned first. */
  store(settled: SettledAttempt): Promise<Marked | null> {
    return this.#try(settled).catch((error: unknown) => this.#retry(settled, error))
  }

  #try(settled: SettledAttempt): Promise<Marked> {
    const {
      queue,
      clock,
      settings: { owner },
    } = this.#parts
    return queue.mark({ owner, now: clock.now(), marks: [settled] }).then(([marked = 'lost']) => marked)
  }

  /** UC-0268-8: the row stays leased, and nothing is sent again, until its update is stored. */
  async #retry(settled: SettledAttempt, failed: unknown): Promise<Marked | null> {
    let error = failed
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      const message = `The mark of ${settled.deliveryId} was not stored and will be repeated: ${messageOf(error)}`
      this.#parts.bus.warn('store_error', message)
      await this.#sleep(waitMs)
      if (this.#abandoned) return null
      try {
        return await this.#try(settled)
      } catch (again) {
        error = again
      }
    }
  }

  /** After the commit, and only for changes made by this worker: a listener must not undo a delivery. */
  emit({ delivery }: Claim, settled: SettledAttempt, marked: Marked): void {
    if (marked === 'lost') return
    this.#parts.bus.emit(eventOf(delivery, settled))
  }

  /** Gives up on marks that the store does not accept, so that a stop can end. */
  abandon(): void {
    this.#abandoned = true
    for (const wake of this.#sleepers) wake()
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#abandoned) return resolve()
      const wake = (): void => {
        cancel()
        this.#sleepers.delete(wake)
        resolve()
      }
      const cancel = this.#parts.clock.after(ms, wake)
      this.#sleepers.add(wake)
    })
  }
}

function eventOf(delivery: Claim['delivery'], { mark, attempt }: SettledAttempt): NewEvent {
  // Written out for the many that are delivered: a copy would cost more than everything else here.
  const delivered = {
    type: 'delivery.delivered' as const,
    webhook_delivery_id: delivery.id,
    webhook_id: delivery.endpointId,
    message_id: delivery.messageId,
    session_id: delivery.sessionId,
    event_type: delivery.eventType,
    status_code: attempt?.statusCode ?? null,
    took_ms: attempt?.tookMs ?? 0,
    attempt_count: mark.attemptCount,
  }
  if (mark.status === 'delivered') return delivered
  if (mark.status === 'failed') return { ...delivered, type: 'delivery.failed', ...failureOf(mark, attempt) }
  const { attempt_count: _, ...ended } = delivered
  return { ...ended, type: 'delivery.dead', reason: mark.reason ?? 'exhausted', error_detail: mark.errorDetail }
}

function failureOf({ errorDetail, nextRetryAt }: SettledAttempt['mark'], attempt: SettledAttempt['attempt']) {
  return {
    outcome: attempt?.outcome ?? ('protocol' as const),
    error_detail: errorDetail ?? '',
    next_retry_at: nextRetryAt ?? 0,
  }
}
