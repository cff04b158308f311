import type { Instant } from '../core/time.ts'

/** The wait that a Retry-After header asks for, in either of its forms; null if it is invalid. */
export function retryAfterMs(value: string | readonly string[] | undefined, now: Instant): number | null {
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  // All forms of an HTTP date name the day and the zone; Date.parse alone would accept almost anything.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(at - now, 0)
}
