import type { Screen } from './paint.ts'
import type { Colour } from './table.ts'
import { printable } from './text.ts'

const mostColumns = 60
const fewestColumns = 6
const gap = '  '
/** The columns that show a status. */
const coloured = new Set(['STATUS', 'HEALTH', 'SEVERITY', 'STATE'])
const colours: readonly (readonly [words: RegExp, colour: Colour])[] = [
  [/^(delivered|healthy|enabled|ok|done)/, 'green'],
  [/^(pending|sending|running)/, 'cyan'],
  [/^(failed|failing|held|paused|probing|warn|ticket)/, 'yellow'],
  [/^(dead|disabled|page|cancelled)/, 'red'],
]

/**
 * Rows under their headings, with columns as wide as needed. On a terminal they fit its width: the widest columns are truncated, never the
 * first, which is the argument of the next command.
 */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[], screen: Screen): string {
  const cells = [headings, ...rows].map((row) => row.map(printable))
  const wanted = headings.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)))
  const widths =
    screen.columns === null ? wanted.map((width) => Math.min(mostColumns, width)) : fitted(wanted, screen.columns)
  return cells
    .map((row, rowIndex) => {
      const line = row.map((text, index) => {
        const isLast = index === row.length - 1
        const shown = screen.columns === null ? text : cut(text, widths[index] ?? 0)
        const colour = rowIndex === 0 ? 'dim' : colourOf(headings[index] ?? '', text)
        const painted = colour === null ? shown : screen.paint(colour, shown)
        return isLast ? painted : painted + ' '.repeat(Math.max((widths[index] ?? 0) - shown.length, 0))
      })
      return line.join(gap).trimEnd()
    })
    .join('\n')
}

/** Narrows the widest column until all fit; one column of the terminal stays free, because some terminals wrap a full line. */
function fitted(wanted: readonly number[], most: number): number[] {
  const widths = [...wanted]
  const total = (): number => widths.reduce((sum, width) => sum + width, (widths.length - 1) * gap.length)
  while (total() > most - 1) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= fewestColumns) break
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

function cut(text: string, columnCount: number): string {
  return text.length > columnCount ? `${text.slice(0, Math.max(columnCount - 1, 0))}…` : text
}

function colourOf(heading: string, text: string): Colour | null {
  if (!coloured.has(heading)) return null
  return colours.find(([words]) => words.test(text))?.[1] ?? null
}

/** Names and values, one pair per line. */
export function pairs(list: readonly (readonly [name: string, value: string | null])[]): string {
  const shown = list.flatMap(([name, value]) => (value === null ? [] : [[name, printable(value)] as const]))
  const width = Math.max(...shown.map(([name]) => name.length)) + 2
  return shown.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n')
}
