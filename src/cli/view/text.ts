import { day, hour, minute, second } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'

const units: readonly (readonly [ms: number, unit: string])[] = [
  [day, 'd'],
  [hour, 'h'],
  [minute, 'min'],
  [second, 's'],
]

/** Text of unknown origin as one printable line: a response body must not be able to move the cursor. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Truncated or padded to exactly this many columns. Characters that may be two columns wide become question marks. */
export function cell(text: string, columns: number): string {
  const plain = printable(text).replaceAll(/[^\x20-\x7e…·]/gu, '?')
  return plain.length > columns ? `${plain.slice(0, Math.max(columns - 1, 0))}…` : plain.padEnd(columns)
}

/** The time left, in seconds as in a countdown. */
export function secondsUntil(at: Instant, now: Instant): string {
  return `${Math.max(Math.ceil((at - now) / 1_000), 0)} s`
}

/** The text as lines of at most this many columns. */
export function wrapped(text: string, columns: number): string[] {
  const width = Math.max(columns, 1)
  return text.split('\n').flatMap((line) => {
    const pieces = Math.max(Math.ceil(line.length / width), 1)
    return Array.from({ length: pieces }, (_, index) => line.slice(index * width, (index + 1) * width))
  })
}

export function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** "5 min ago", "in 14 s": the largest unit alone. */
export function relativeTime(at: string, now: Instant): string {
  const aheadMs = Date.parse(at) - now
  const [unitMs, unit] = units.find(([ms]) => Math.abs(aheadMs) >= ms) ?? [second, 's']
  const amount = `${Math.floor(Math.abs(aheadMs) / unitMs)} ${unit}`
  return aheadMs > 0 ? `in ${amount}` : `${amount} ago`
}
