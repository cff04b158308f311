import { close, fdatasync, openSync } from 'node:fs'

/** Brings a file to the disk, and calls back. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

/**
 * Waits until SQLite's log is on the disk, without blocking the thread. With `synchronous=normal` a commit writes to the log, and returns
 * before the disk has it; with `full`, the event loop would stand still until then. Commits made while one sync runs share the next.
 *
 * SQLite neither replaces nor removes the log while a connection is open, and holds no lock on it that closing it here would drop.
 */
export class LogSync {
  readonly #path: string
  readonly #syncFile: SyncFile
  #descriptor: number | null = null
  #waiting: Waiting[] = []
  #isRunning = false

  constructor(databasePath: string, syncFile: SyncFile = fdatasync) {
    this.#path = `${databasePath}-wal`
    this.#syncFile = syncFile
  }

  /** Resolves once everything that was committed before the call is on the disk. */
  synced(): Promise<void> {
    return new Promise((resolve, reject) => {
      // The log exists from the first commit on.
      this.#descriptor ??= openSync(this.#path, 'r+')
      this.#waiting.push({ resolve, reject })
      if (!this.#isRunning) this.#run(this.#descriptor)
    })
  }

  /** Ends after the last sync; whoever waits for that hears whether it failed. */
  async close(): Promise<void> {
    if (this.#isRunning) await this.synced().catch(() => undefined)
    const descriptor = this.#descriptor
    this.#descriptor = null
    if (descriptor !== null) await new Promise((resolve) => close(descriptor, resolve))
  }

  #run(descriptor: number): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#isRunning = true
    this.#syncFile(descriptor, (error) => {
      this.#isRunning = false
      if (this.#waiting.length > 0) this.#run(descriptor)
      for (const { resolve, reject } of waiting)
        if (error === null) resolve()
        else reject(error)
    })
  }
}
