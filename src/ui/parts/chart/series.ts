export interface Series {
  readonly name: string
  /** The class that sets the colour. */
  readonly tone: string
  /** Null for no value. */
  readonly values: readonly (number | null)[]
}

export type ChartKind = 'bars' | 'lines'

/** The highest value that has to fit: bars are stacked, lines are not. */
export function highest(series: readonly Series[], kind: ChartKind): number {
  const length = series[0]?.values.length ?? 0
  const at = (index: number): number[] => series.map(({ values }) => values[index] ?? 0)
  return Array.from({ length }, (_, index) =>
    kind === 'bars' ? at(index).reduce((sum, value) => sum + value, 0) : Math.max(...at(index)),
  ).reduce((most, value) => Math.max(most, value), 0)
}

/** True if there is nothing to draw for a bucket: nothing happened, or there are no values. */
export function isEmptyAt(series: readonly Series[], index: number): boolean {
  return series.every(({ values }) => (values[index] ?? 0) === 0)
}

/** How many buckets at the beginning are empty: before the first one with values, nothing was measured. */
export function unmeasured(series: readonly Series[]): number {
  const length = series[0]?.values.length ?? 0
  for (let index = 0; index < length; index += 1) if (!isEmptyAt(series, index)) return index
  return length
}

export function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '–' : show(value)
}
