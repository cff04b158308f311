/** Milliseconds since the Unix epoch, an integer. */
export type Instant = number

/** A number in [0, 1), with at least 50 random bits where ids are made of it. */
export type Random = () => number

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** An instant as people and envelopes write it, in UTC. Formatting only: nothing in core asks what time it is. */
export function isoTime(at: Instant): string {
  return new Date(at).toISOString()
}
