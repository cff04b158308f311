import type { Enqueued, EnqueueRequest } from '../../core/ports/queue.ts'
import { payloadOf } from './listen.ts'

/** Notifies listening workers after a commit, not within it: one notification at a time; commits in the meantime share the next one. */
export class Notifier {
  readonly #send: ((payload: string) => Promise<unknown>) | null
  #isSending = false
  /** The endpoints of the next notification. */
  #endpointIds = new Set<string>()
  /** A process that delivers holds back only what exceeds its limits: workers with spare capacity find that with their next poll. */
  delivers = false

  constructor(send: ((payload: string) => Promise<unknown>) | null) {
    this.#send = send
  }

  /** Deliveries to these endpoints are stored. */
  notify(endpointIds: Iterable<string>): void {
    if (this.#send === null || this.delivers) return
    for (const id of endpointIds) this.#endpointIds.add(id)
    if (!this.#isSending) void this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    while (this.#endpointIds.size > 0) {
      const payload = payloadOf(this.#endpointIds)
      this.#endpointIds = new Set()
      // Only a hint: the next poll finds the deliveries anyway.
      await this.#send?.(payload).catch(() => undefined)
    }
    this.#isSending = false
  }
}

/** The endpoints of the stored deliveries that are due and not ours. */
export function endpointsForOthers({ envelopes, now }: EnqueueRequest, answers: readonly Enqueued[]): string[] {
  return envelopes
    .filter((_, index) => answers[index]?.kind === 'stored')
    .flatMap(({ deliveries }) => deliveries.filter(({ leased, nextRetryAt }) => !leased && nextRetryAt <= now))
    .map(({ endpointId }) => endpointId)
}
