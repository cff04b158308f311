import type { Colour, Paint } from './table.ts'

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

/** The output's properties: its width, null if unlimited, and whether it shows colours. */
export interface Screen {
  readonly columns: number | null
  readonly paint: Paint
}

/** A terminal, or the input of a program: that gets whole lines without colours. */
export function screenOf(output: NodeJS.WriteStream): Screen {
  return output.isTTY
    ? { columns: output.columns, paint: paintOn(output) }
    : { columns: null, paint: (_, text) => text }
}

/** Node itself respects NO_COLOR here, and terminals without colours. */
export function paintOn(output: NodeJS.WriteStream): Paint {
  return output.hasColors() ? (colour, text) => `\x1b[${codes[colour]}m${text}\x1b[0m` : (_, text) => text
}
