import type { Attempt } from '../../../api/answers.ts'

type Headers = NonNullable<Attempt['responseHeaders']>

/** Headers, one per line; those whose values are not shown by name only. */
export function headersText({ headers, sensitive }: Headers): string {
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [...shown, ...sensitive.map((name) => `${name}: (not shown)`)].join('\n')
}
