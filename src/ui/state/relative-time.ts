const unitsMs: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 }
const minuteMs = 60_000

/** `15min`, `1h` and `7d` before now, to the minute, so that a page asks the same question for a minute; other text as it is. */
export function absoluteTime(text: string, now: number): string {
  const [, amount = '', unit = ''] = /^(\d{1,4})(min|h|d)$/.exec(text) ?? []
  const unitMs = unitsMs[unit]
  if (unitMs === undefined) return text
  return new Date(Math.floor(now / minuteMs) * minuteMs - Number(amount) * unitMs).toISOString()
}
