import { systemClock } from '../../clock.ts'
import type { Delivery } from '../../core/delivery/delivery.ts'
import type { Overview } from '../../core/ports/overview.ts'
import { hour } from '../../core/time.ts'
import { paintOn, sizeOf } from './paint.ts'
import { tableLines } from './table.ts'
import type { Paint } from './table.ts'
import { wrapped } from './text.ts'
import type { View, ViewParts } from './view.ts'

const frameMs = 250
const overviewMs = 1_000
const mostRead = 200
const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const clearBelow = '\x1b[J'
const clearAll = '\x1b[2J\x1b[H'

/** On a terminal: a table that redraws itself, in one write per frame so that nothing flickers. */
export function screenView(parts: ViewParts): View {
  return new ScreenView(parts)
}

class ScreenView implements View {
  readonly #parts: ViewParts
  readonly #paint: Paint
  #deliveries: readonly Delivery[] = []
  #overview: Overview | null = null
  /** The last note stays below the table until the next one, or a new delivery. */
  #pinned: string | null = null
  #newestAtNote: string | undefined
  #drawnLines = 0
  #disarm: (() => void) | null = null
  #closed = false
  #frame: Promise<void>

  constructor(parts: ViewParts) {
    const { output } = parts.terminal
    this.#parts = parts
    this.#paint = paintOn(output)
    output.write(hideCursor)
    output.on('resize', this.#resized)
    process.once('exit', this.#showCursor)
    this.#frame = this.#refresh()
  }

  note = (text: string): void => {
    this.#unpin()
    this.#pinned = text
    this.#draw()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#disarm?.()
    await this.#frame
    await this.#read()
    this.#unpin()
    this.#draw()
    this.#output.off('resize', this.#resized)
    process.off('exit', this.#showCursor)
    this.#showCursor()
  }

  get #output(): NodeJS.WriteStream {
    return this.#parts.terminal.output
  }

  async #refresh(): Promise<void> {
    await this.#read()
    if (this.#closed) return
    if (this.#pinned !== null && this.#deliveries[0]?.id !== this.#newestAtNote) this.#unpin()
    this.#draw()
    this.#disarm = systemClock.after(frameMs, () => void (this.#frame = this.#refresh()))
  }

  async #read(): Promise<void> {
    const { directory, labels } = this.#parts
    try {
      const now = systemClock.now()
      this.#deliveries = await directory.listDeliveries({}, { limit: mostRead, after: null })
      // Sums over an hour need not be as fresh as the rows.
      const isOld = this.#overview === null || this.#closed || now - this.#overview.at >= overviewMs
      if (isOld) this.#overview = await directory.overview({ now, windowMs: hour })
      await labels.learn([...new Set(this.#deliveries.map(({ endpointId }) => endpointId))])
    } catch {
      // The store is being closed: the last values stay.
    }
  }

  #draw(): void {
    if (this.#overview === null) return
    const { title, hint, labels } = this.#parts
    const { columns, rows } = sizeOf(this.#output)
    const notes = this.#pinned === null ? [] : wrapped(this.#pinned, columns - 1)
    const shown = { deliveries: this.#deliveries, overview: this.#overview, label: labels.of, now: systemClock.now() }
    const table = tableLines({
      title,
      hint: this.#closed ? '' : hint,
      ...shown,
      columns,
      rows: rows - notes.length,
      paint: this.#paint,
    })
    const lines = [...table, ...notes].slice(0, Math.max(rows - 1, 1))
    this.#output.write(`${this.#backToTop()}${lines.map((line) => `${line}\x1b[K\n`).join('')}${clearBelow}`)
    this.#drawnLines = lines.length
  }

  #backToTop(): string {
    return this.#drawnLines === 0 ? '\r' : `\r\x1b[${this.#drawnLines}A`
  }

  /** Prints the pinned note permanently, above the table. */
  #unpin(): void {
    // Line by line: some terminals keep a screen that is cleared as a whole in their history.
    this.#output.write(`${this.#backToTop()}${'\x1b[2K\n'.repeat(this.#drawnLines)}${this.#backToTop()}`)
    this.#drawnLines = 0
    if (this.#pinned !== null) this.#parts.terminal.say(this.#pinned)
    this.#pinned = null
    this.#newestAtNote = this.#deliveries[0]?.id
  }

  readonly #resized = (): void => {
    // A narrower terminal has wrapped the old frame: its top can no longer be located.
    this.#output.write(clearAll)
    this.#drawnLines = 0
    this.#draw()
  }

  readonly #showCursor = (): void => {
    this.#output.write(showCursor)
  }
}
