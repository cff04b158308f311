import { printable } from './text.ts'

const mostColumns = 60

/** Rows under their headings, each column as wide as it must be. The last one is cut by nobody but the terminal. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, index) =>
    Math.min(mostColumns, Math.max(...cells.map((row) => row[index]?.length ?? 0))),
  )
  return cells
    .map((row) =>
      row
        .map((text, index) => (index === row.length - 1 ? text : text.padEnd(widths[index] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names and values below each other. */
export function pairs(list: readonly (readonly [name: string, value: string | null])[]): string {
  const shown = list.flatMap(([name, value]) => (value === null ? [] : [[name, printable(value)] as const]))
  const width = Math.max(...shown.map(([name]) => name.length)) + 2
  return shown.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n')
}
