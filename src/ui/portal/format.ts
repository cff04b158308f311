import { language, say } from './settings.ts'

const whole = new Intl.NumberFormat(language)
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

export function count(value: number): string {
  return whole.format(value)
}

/** "2 minutes ago", "in 5 seconds", in the customer's language. */
export function relativeTime(at: string, now: number): string {
  const ms = Date.parse(at) - now
  const [unit, unitMs] = units.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1_000]
  return relative.format(Math.trunc(ms / unitMs), unit)
}

export function exactTime(at: string): string {
  return exact.format(new Date(at))
}

export function latency(ms: number): string {
  return ms < 1_000 ? `${whole.format(Math.round(ms))} ms` : `${seconds.format(ms / 1_000)} s`
}

/** The status code of a response; 0 for none. */
export function codeText(code: number): string {
  return code === 0 ? say('status.no_answer') : String(code)
}

/** Formatted JSON, unless that would change it: a number that a browser would round stays as it was sent. */
export function laidOut(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    return JSON.stringify(value) === json ? JSON.stringify(value, null, 2) : json
  } catch {
    return json
  }
}

export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
