const whole = new Intl.NumberFormat('en')
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const timeOnly = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayOnly = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

export function count(value: number, atLeast = false): string {
  return whole.format(value) + (atLeast ? '+' : '')
}

/** A number with its noun: "1 endpoint", "2 endpoints", "3 deliveries". */
export function counted(value: number, noun: string, atLeast = false): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${count(value, atLeast)} ${value === 1 && !atLeast ? noun : plural}`
}

/** A share as a percentage that never rounds up to 100 or down to 0 what is neither. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`
  const rounded = Math.min(99.9, Math.max(0.1, Math.round(share * 1000) / 10))
  return `${rounded} %`
}

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

/** A time span in its two largest units: "2 h 5 min", "40 s", "120 ms". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const largest = units.findIndex(([unitMs]) => ms >= unitMs)
  let restMs = ms
  const parts: string[] = []
  for (const [unitMs, name] of units.slice(largest, largest + 2)) {
    const amount = Math.floor(restMs / unitMs)
    restMs -= amount * unitMs
    if (amount > 0) parts.push(`${amount} ${name}`)
  }
  return parts.join(' ')
}

/** A short time span with its fraction: "840 ms", "1.2 s", "30 s". */
export function latency(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return `${Math.round(ms / 100) / 10} s`
}

export function ago(at: string, now: number): string {
  const ms = now - Date.parse(at)
  return ms < 1_000 ? 'just now' : `${shortly(ms)} ago`
}

export function until(at: string, now: number): string {
  const ms = Date.parse(at) - now
  return ms <= 0 ? 'due now' : `in ${duration(ms < 1_000 ? 1_000 : ms)}`
}

/** The largest unit alone, which is all that an age needs: "5 min". */
export function shortly(ms: number): string {
  const unit = units.find(([unitMs]) => ms >= unitMs)
  return unit === undefined ? 'under 1 s' : `${Math.floor(ms / unit[0])} ${unit[1]}`
}

export function instant(at: string | number): string {
  return dayAndTime.format(new Date(at))
}

/** The time under a bucket of a chart: a day once buckets are that long. */
export function bucketTime(at: string, windowMs: number): string {
  return (windowMs > 2 * 86_400_000 ? dayOnly : timeOnly).format(new Date(at))
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  if (size < 1024 * 1024) return `${Math.round(size / 102.4) / 10} KiB`
  return `${Math.round(size / (102.4 * 1024)) / 10} MiB`
}

/** A URL without its scheme. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** Formatted JSON, or null if the text is not JSON. */
export function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}
