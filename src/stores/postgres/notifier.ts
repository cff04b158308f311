/** Notifies the workers that listen, after a commit and not within it: one notice at a time, and whatever comes meanwhile shares the next. */
export class Notifier {
  readonly #send: (() => Promise<unknown>) | null
  #isSending = false
  #isDue = false
  /** Who delivers itself keeps back only what exceeds its limits: others that have room find that with their next look. */
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
      // Only a hint: what it would have told is found by the next look, too.
      await this.#send?.().catch(() => undefined)
    }
    this.#isSending = false
  }
}
