export interface Series {
  readonly name: string
  /** A class that says the colour. */
  readonly tone: string
  /** Null where nothing is known. */
  readonly values: readonly (number | null)[]
}

export type ChartKind = 'bars' | 'lines'

/** The highest that has to fit: bars stand on each other, lines do not. */
export function highest(series: readonly Series[], kind: ChartKind): number {
  const length = series[0]?.values.length ?? 0
  const at = (index: number): number[] => series.map(({ values }) => values[index] ?? 0)
  return Array.from({ length }, (_, index) =>
    kind === 'bars' ? at(index).reduce((sum, value) => sum + value, 0) : Math.max(...at(index)),
  ).reduce((most, value) => Math.max(most, value), 0)
}

/** True if there is nothing to draw for a stretch of time: nothing happened, or nothing is known. */
export function isEmptyAt(series: readonly Series[], index: number): boolean {
  return series.every(({ values }) => (values[index] ?? 0) === 0)
}

/** How many stretches at the beginning have nothing in them: before the first one with something nobody has measured. */
export function unmeasured(series: readonly Series[]): number {
  const length = series[0]?.values.length ?? 0
  for (let index = 0; index < length; index += 1) if (!isEmptyAt(series, index)) return index
  return length
}

export function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '–' : show(value)
}
