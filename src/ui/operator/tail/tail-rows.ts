import type { TailRow } from './tail-row.ts'

const mostRows = 200

/** The rows that are shown, and those that are not shown yet; both are limited. */
export class TailRows {
  #shown: TailRow[] = []
  #arrived: TailRow[] = []
  #skipped = 0
  #waiting = 0
  #isPaused = false
  #isChanged = true
  #lastKey = 0

  add(make: (key: number) => TailRow, picks: (row: TailRow) => boolean): void {
    this.#lastKey += 1
    const row = make(this.#lastKey)
    if (!picks(row)) return
    this.#arrived.push(row)
    if (this.#isPaused) this.#waiting += 1
    if (this.#arrived.length > mostRows) {
      this.#arrived.shift()
      this.#skipped += 1
    }
    this.#isChanged = true
  }

  /** What happened before the tail was opened; it goes below everything newer. */
  begin(rows: readonly TailRow[]): void {
    this.#shown = [...this.#shown, ...rows].slice(0, mostRows)
    this.#isChanged = true
  }

  skip(missed: number): void {
    this.#skipped += missed
    this.#isChanged = true
  }

  touch(): void {
    this.#isChanged = true
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#waiting = 0
    this.#isChanged = true
  }

  /** Null if nothing has changed since the last call. */
  view(): { rows: readonly TailRow[]; skipped: number; waiting: number } | null {
    if (!this.#isChanged) return null
    this.#isChanged = false
    if (!this.#isPaused) {
      this.#shown = [...this.#arrived.toReversed(), ...this.#shown].slice(0, mostRows)
      this.#arrived = []
    }
    return { rows: this.#shown, skipped: this.#skipped, waiting: this.#waiting }
  }
}
