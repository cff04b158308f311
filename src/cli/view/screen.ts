import { systemClock } from '../../clock.ts'
import type { Delivery } from '../../core/delivery.ts'
import type { Overview } from '../../core/overview.ts'
import { hour } from '../../core/time.ts'
import { tableLines } from './table.ts'
import type { Colour, Paint } from './table.ts'
import { wrapped } from './text.ts'
import type { View, ViewParts } from './view.ts'

const frameMs = 250
const overviewMs = 1_000
const mostRead = 200
const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }
const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const clearBelow = '\x1b[J'
const clearAll = '\x1b[2J\x1b[H'

/** On a terminal: a table that is drawn over itself, in one write per frame so that nothing flickers. */
export function screenView({ terminal, directory, labels, title, hint }: ViewParts): View {
  const { output } = terminal
  // Node itself heeds NO_COLOR here, and terminals without colours.
  const paint: Paint = output.hasColors() ? (colour, text) => `\x1b[${codes[colour]}m${text}\x1b[0m` : (_, text) => text
  let deliveries: readonly Delivery[] = []
  let overview: Overview | null = null
  /** The last note stays below the table until there is another, or a new delivery. */
  let pinned: string | null = null
  let newestAtNote: string | undefined
  let drawnLines = 0
  let disarm: (() => void) | null = null
  let closed = false
  let frame = Promise.resolve()

  async function read(): Promise<void> {
    try {
      const now = systemClock.now()
      deliveries = await directory.listDeliveries({}, { limit: mostRead, after: null })
      // Sums over an hour need not be as fresh as the rows.
      if (overview === null || closed || now - overview.at >= overviewMs) overview = await directory.overview({ now, windowMs: hour })
      await labels.learn([...new Set(deliveries.map(({ endpointId }) => endpointId))])
    } catch {
      // The store is being closed: what was read last stays.
    }
  }

  function draw(): void {
    if (overview === null) return
    const { columns, rows } = output
    const notes = pinned === null ? [] : wrapped(pinned, columns - 1)
    const size = { columns, rows: rows - notes.length }
    const table = tableLines({ title, hint: closed ? '' : hint, deliveries, overview, label: labels.of, now: systemClock.now(), ...size, paint })
    const lines = [...table, ...notes].slice(0, Math.max(rows - 1, 1))
    output.write(`${backToTop()}${lines.map((line) => `${line}\x1b[K\n`).join('')}${clearBelow}`)
    drawnLines = lines.length
  }

  function backToTop(): string {
    return drawnLines === 0 ? '\r' : `\r\x1b[${drawnLines}A`
  }

  async function refresh(): Promise<void> {
    await read()
    if (closed) return
    if (pinned !== null && deliveries[0]?.id !== newestAtNote) unpin()
    draw()
    disarm = systemClock.after(frameMs, () => void (frame = refresh()))
  }

  function resized(): void {
    // A narrower terminal has wrapped the old frame: where its top is now, nobody knows.
    output.write(clearAll)
    drawnLines = 0
    draw()
  }

  /** Says the pinned note for good, above the table. */
  function unpin(): void {
    // Line by line: what is cleared as a whole, some terminals keep in their history.
    output.write(`${backToTop()}${'\x1b[2K\n'.repeat(drawnLines)}${backToTop()}`)
    drawnLines = 0
    if (pinned !== null) terminal.say(pinned)
    pinned = null
    newestAtNote = deliveries[0]?.id
  }

  function giveBack(): void {
    output.write(showCursor)
  }

  output.write(hideCursor)
  output.on('resize', resized)
  process.once('exit', giveBack)
  frame = refresh()

  return {
    note(text) {
      unpin()
      pinned = text
      draw()
    },
    async close() {
      closed = true
      disarm?.()
      await frame
      await read()
      unpin()
      draw()
      output.off('resize', resized)
      process.off('exit', giveBack)
      giveBack()
    },
  }
}
