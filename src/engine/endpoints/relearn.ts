import { learn } from '../../core/endpoint/health.ts'
import type { Health } from '../../core/endpoint/health.ts'
import type { EndpointRecord } from './records.ts'

/** What another has stored, and on top of it what was learnt here and is not stored yet. */
export function relearnt({ unsavedLessons }: EndpointRecord, stored: Health): Health {
  return unsavedLessons.reduce((health, input) => learn({ ...input, health }).health, stored)
}
