import type { Directory } from '../core/ports/directory.ts'
import type { Clock } from '../core/ports/ports.ts'
import { minute } from '../core/time.ts'
import type { Instant } from '../core/time.ts'

/** This many addresses get a separate entry per minute; the others share one. */
const mostAddresses = 20

/** Sign-ins with an invalid key, for the audit log: repeated tries are counted in one entry per minute. */
export class RefusedSignIns {
  readonly #directory: Pick<Directory, 'note' | 'countNote'>
  readonly #clock: Clock
  /** The entries of this minute, by address. */
  readonly #entries = new Map<string, string>()
  /** What has not been written yet. */
  readonly #waiting = new Map<string, number>()
  #minute: Instant = 0
  #writing: Promise<void> | null = null

  constructor(directory: Pick<Directory, 'note' | 'countNote'>, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  /** One write at a time, with everything that came in during the previous one. */
  add(from: string): Promise<void> {
    const address = this.#waiting.size < mostAddresses || this.#waiting.has(from) ? from : 'others'
    this.#waiting.set(address, (this.#waiting.get(address) ?? 0) + 1)
    this.#writing ??= this.#write().finally(() => (this.#writing = null))
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const counted = [...this.#waiting]
      this.#waiting.clear()
      for (const [from, count] of counted) await this.#note(from, count)
    }
  }

  async #note(from: string, count: number): Promise<void> {
    const at = this.#clock.now()
    if (at - (at % minute) !== this.#minute) this.#entries.clear()
    this.#minute = at - (at % minute)
    const address = this.#entries.size < mostAddresses || this.#entries.has(from) ? from : 'others'
    const entry = this.#entries.get(address)
    if (entry !== undefined) return this.#directory.countNote(entry, count)
    const by = { name: 'unknown', from: address }
    const id = await this.#directory.note({ action: 'session.refuse', by, target: 'dashboard', at })
    this.#entries.set(address, id)
    if (count > 1) await this.#directory.countNote(id, count - 1)
  }
}
