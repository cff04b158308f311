import { PosthornError } from '../../core/errors.ts'
import type { Vault } from './secrets.ts'

/** The parts of an open store. */
export interface Opened {
  readonly database: { close(): Promise<void> }
  readonly vault: Vault
  /** Messages for the operator. */
  readonly notes: readonly string[]
}

/** Manages opening, closing and reopening. Queue and directory outlive a close: they look up the open parts on every call. */
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

  /** Throws while the store is closed. */
  current(): Parts {
    if (this.#opened === null) throw closedError()
    return this.#opened
  }

  async open(): Promise<readonly string[]> {
    if (this.#opened !== null) return []
    // Concurrent callers wait for the same opening; only the first one gets the notes.
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

/** Delegates to the vault of the open store. */
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
