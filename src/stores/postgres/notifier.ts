/** Notifies listening workers after a commit, not within it: one notification at a time; commits in the meantime share the next one. */
export class Notifier {
  readonly #send: (() => Promise<unknown>) | null
  #isSending = false
  #isDue = false
  /** A process that delivers holds back only what exceeds its limits: workers with spare capacity find that with their next poll. */
  delivers = false

  constructor(send: (() => Promise<unknown>) | null) {
    this.#send = send
  }

  notify(): void {
    if (this.#send === null || this.delivers) return
    this.#isDue = true
    if (!this.#isSending) void this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    while (this.#isDue) {
      this.#isDue = false
      // Only a hint: the next poll finds the deliveries anyway.
      await this.#send?.().catch(() => undefined)
    }
    this.#isSending = false
  }
}
