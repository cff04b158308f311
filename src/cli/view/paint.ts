import { systemClock } from '../../clock.ts'
import type { Instant } from '../../core/time.ts'
import type { Colour, Paint } from './table.ts'

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

const usualColumns = 80
const usualRows = 24

/** The output's properties: its width, null if unlimited, the time it is drawn at, and whether it shows colours. */
export interface Screen {
  readonly columns: number | null
  readonly now: Instant
  readonly paint: Paint
}

/** A terminal, or the input of a program: that gets whole lines without colours. */
export function screenOf(output: NodeJS.WriteStream): Screen {
  const now = systemClock.now()
  return output.isTTY
    ? { columns: sizeOf(output).columns, now, paint: paintOn(output) }
    : { columns: null, now, paint: (_, text) => text }
}

/** Some terminals, such as those of CI and containers, report 0 × 0, or nothing at all: a frame of that size would show nothing. */
export function sizeOf(output: NodeJS.WriteStream): { readonly columns: number; readonly rows: number } {
  return { columns: output.columns || usualColumns, rows: output.rows || usualRows }
}

/** Node itself respects NO_COLOR here, and terminals without colours. */
export function paintOn(output: NodeJS.WriteStream): Paint {
  return output.hasColors() ? (colour, text) => `\x1b[${codes[colour]}m${text}\x1b[0m` : (_, text) => text
}
