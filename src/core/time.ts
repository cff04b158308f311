/** Milliseconds since the Unix epoch, an integer. */
export type Instant = number

/** A number in [0, 1), with at least 50 random bits where ids are created from it. */
export type Random = () => number

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** An instant in UTC, as people and envelopes write it. Formatting only: nothing in core reads the time. */
export function isoTime(at: Instant): string {
  if (at !== last.at) last = { at, text: new Date(at).toISOString() }
  return last.text
}

// Under load, many messages are created in the same millisecond.
let last = { at: Number.NaN, text: '' }
