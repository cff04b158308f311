import type { Job } from '../../../core/delivery/job.ts'
import { withoutDeadSecrets } from '../../../core/endpoint/endpoint.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { ErasureJob } from '../../../core/ports/directory/applications.ts'
import type { Instant } from '../../../core/time.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

/** Deletes an application, hides all its data, and stores the job that erases it. */
export function eraseApplication(state: State, job: ErasureJob, by?: Actor): Job | null {
  const { applicationId: id, createdAt: at } = job
  const underWay = state.erasures.get(id)
  if (underWay?.erasedAt === null) return state.jobs.get(underWay.jobId) ?? null
  const before = state.applications.get(id)?.application ?? null
  if (before === null && !isAnythingLeft(state, id)) return null
  endEndpoints(state, id, at)
  state.applications.delete(id)
  state.erasures.set(id, { jobId: job.id, erasedAt: null })
  state.jobs.set(job.id, job)
  const action = before === null ? 'application.erase' : 'application.delete'
  if (by !== undefined) note(state, { action, target: id, applicationId: id, at, by, before })
  return job
}

function isAnythingLeft(state: State, id: string): boolean {
  const isOwn = ({ applicationId }: { readonly applicationId: string }): boolean => applicationId === id
  return [...state.endpoints.values(), ...state.messages.values()].some(isOwn)
}

function endEndpoints(state: State, applicationId: string, at: Instant): void {
  for (const endpoint of state.endpoints.values()) {
    if (endpoint.applicationId !== applicationId || endpoint.status === 'deleted') continue
    const deleted: Endpoint = { ...endpoint, status: 'deleted', statusSince: at, updatedAt: at }
    state.endpoints.set(endpoint.id, withoutDeadSecrets(deleted))
  }
}
