import type { Metrics } from 'posthorn/metrics'

/** One line of a scrape. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What Prometheus would read, as it reads it. */
export function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', given = '']) => [
        label,
        given,
      ])
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
    })
}

/** The sum of all series of a name that have these labels; null if there is none. */
export async function read(
  { registry }: Metrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const found = seriesIn(await registry.metrics()).filter(
    (series) =>
      series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value),
  )
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0)
}
