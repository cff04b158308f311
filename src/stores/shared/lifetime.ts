import { PosthornError } from '../../core/errors.ts'
import type { Vault } from './secrets.ts'

/** What a store has while it is open. */
export interface Opened {
  readonly database: { close(): Promise<void> }
  readonly vault: Vault
  /** What a person should know. */
  readonly notes: readonly string[]
}

/** From open to close, and from there to the next open. Queue and directory outlive a close: they ask anew for what is open. */
export class Lifetime<Parts extends Opened> {
  readonly #start: () => Promise<Parts>
  #opening: Promise<Parts> | null = null
  #opened: Parts | null = null

  constructor(start: () => Promise<Parts>) {
    this.#start = start
  }

  /** Null while the store is closed. */
  get opened(): Parts | null {
    return this.#opened
  }

  /** Refused while the store is closed. */
  current(): Parts {
    if (this.#opened === null) throw closedError()
    return this.#opened
  }

  async open(): Promise<readonly string[]> {
    if (this.#opened !== null) return []
    // Whoever asks while it is being opened waits, too; only the first gets the notes.
    const isFirst = this.#opening === null
    this.#opening ??= this.#start()
    try {
      this.#opened = await this.#opening
      return isFirst ? this.#opened.notes : []
    } finally {
      this.#opening = null
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined)
    const closing = this.#opened
    this.#opened = null
    await closing?.database.close()
  }
}

/** The vault of whatever is open. */
export function vaultOf(lifetime: Lifetime<Opened>): Vault {
  return {
    get keyId() {
      return lifetime.current().vault.keyId
    },
    seal: (...secret) => lifetime.current().vault.seal(...secret),
    open: (...secret) => lifetime.current().vault.open(...secret),
  }
}

export function closedError(): PosthornError {
  return new PosthornError('stopped', 'Expected an open store, got one that is closed. Call `open()` first.')
}
