import type { Screen } from './paint.ts'
import type { Colour } from './table.ts'
import { printable, relativeTime } from './text.ts'

const mostColumns = 60
const fewestColumns = 6
const gap = '  '
const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** The columns that show a status. */
const coloured = new Set(['STATUS', 'HEALTH', 'SEVERITY', 'STATE'])
const colours: readonly (readonly [words: RegExp, colour: Colour])[] = [
  [/^(delivered|healthy|enabled|ok|done)/, 'green'],
  [/^(pending|sending|running)/, 'cyan'],
  [/^(failed|failing|held|paused|probing|warn|ticket)/, 'yellow'],
  [/^(dead|disabled|page|cancelled)/, 'red'],
]

/**
 * Rows under their headings, with columns as wide as needed. On a terminal they fit its width: times become relative, the widest columns are
 * truncated, and on a narrow one the last are left out; never the first, which is the argument of the next command.
 */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[], screen: Screen): string {
  const cells = narrowed(
    [headings, ...rows].map((row) => row.map(printable)),
    screen,
  )
  const wanted = widthsOf(cells)
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

/** The cells as they are if they fit; otherwise with relative times, and without the last columns that would not fit even truncated. */
function narrowed(cells: readonly string[][], { columns: most, now }: Screen): readonly string[][] {
  if (most === null || totalOf(widthsOf(cells)) < most) return cells
  const shorter = cells.map((row) => row.map((text) => (isoTime.test(text) ? relativeTime(text, now) : text)))
  const [first = 0, ...others] = widthsOf(shorter)
  const least = [first, ...others.map((width) => Math.min(width, fewestColumns))]
  let count = least.length
  while (count > 2 && totalOf(least.slice(0, count)) >= most) count -= 1
  return shorter.map((row) => row.slice(0, count))
}

function widthsOf([headings = [], ...rows]: readonly string[][]): number[] {
  return headings.map((heading, index) => Math.max(heading.length, ...rows.map((row) => row[index]?.length ?? 0)))
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, (widths.length - 1) * gap.length)
}

/** Narrows the widest column until all fit; one column of the terminal stays free, because some terminals wrap a full line. */
function fitted(wanted: readonly number[], most: number): number[] {
  const widths = [...wanted]
  while (totalOf(widths) >= most) {
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
