import { learn } from '../../core/endpoint/health.ts'
import type { Health } from '../../core/endpoint/health.ts'
import type { EndpointRecord } from './records.ts'

/** The health stored by another worker, with our unsaved lessons applied on top. */
export function relearnt({ unsavedLessons }: EndpointRecord, stored: Health): Health {
  return unsavedLessons.reduce((health, input) => learn({ ...input, health }).health, stored)
}
