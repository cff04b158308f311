import type { Instant } from '../../core/time.ts'
import type { EndpointRecord, Trust } from './records.ts'

const recentMs = 60_000

export function trustIn({ succeededAt, wasSlow, health }: EndpointRecord, now: Instant): Trust {
  if (wasSlow) return 'doubtful'
  if (succeededAt !== null && succeededAt >= now - recentMs) return 'proven'
  return health.failingSince === null ? 'unknown' : 'doubtful'
}
