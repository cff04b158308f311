import { operationsUid } from '../../../core/alarms/operational.ts'
import type { Application } from '../../../core/endpoint/endpoint.ts'
import { PosthornError } from '../../../core/errors.ts'
import type { ApplicationDirectory } from '../../../core/ports/directory/applications.ts'
import type { Order, Page } from '../../../core/ports/directory/page.ts'
import { compareText } from '../sorted-list.ts'
import { eraseApplication } from './deletion.ts'
import { note } from '../state.ts'
import type { State } from '../state.ts'

/** Applications, and the versions of their endpoints. */
export function applicationDirectory(state: State): ApplicationDirectory {
  return {
    createApplication: async (application, by) => {
      refuseTakenUid(state, application)
      state.applications.set(application.id, { application, endpointsVersion: 1 })
      const { id, createdAt } = application
      if (by !== undefined)
        note(state, { action: 'application.create', ...about(id), at: createdAt, by, after: application })
      return application
    },
    application: async (idOrUid) => state.applications.get(idOrUid)?.application ?? withUid(state, idOrUid) ?? null,
    listApplications: async (page, text = '') =>
      inOrder(
        [...state.applications.values()]
          .map(({ application }) => application)
          .filter(
            (application) => application.uid !== operationsUid && textOf(application).includes(text.toLowerCase()),
          ),
        page,
        'ascending',
      ),
    updateApplication: async (id, change, now, by) => {
      const kept = state.applications.get(id)
      if (kept === undefined) return null
      const application = changed(kept.application, { ...change, updatedAt: now })
      refuseTakenUid(state, application)
      // A message matched by its name must be matched again: the name may belong to another application from now on.
      state.applications.set(id, { application, endpointsVersion: kept.endpointsVersion + 1 })
      const changes = { before: kept.application, after: application }
      if (by !== undefined) note(state, { action: 'application.update', ...about(id), at: now, by, ...changes })
      return application
    },
    eraseApplication: async (job, by) => eraseApplication(state, job, by),
    applicationsAmong: async (ids) => ids.filter((id) => state.applications.has(id)),
  }
}

function textOf({ name, uid, id }: Application): string {
  return `${name} ${uid ?? ''} ${id}`.toLowerCase()
}

function about(id: string): { readonly target: string; readonly applicationId: string } {
  return { target: id, applicationId: id }
}

/** Makes every list of an application's endpoints that was read before outdated. */
export function raiseEndpointsVersion(state: State, applicationId: string): void {
  const kept = state.applications.get(applicationId)
  if (kept !== undefined)
    state.applications.set(applicationId, { ...kept, endpointsVersion: kept.endpointsVersion + 1 })
}

/** One page in the order of the ids, which is the order of creation. */
export function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { after, limit, order: asked }: Page,
  usual: Order,
): Row[] {
  const order = asked ?? usual
  const rest = rows.filter(({ id }) => isAfter(id, after, order))
  return rest
    .toSorted((left, right) => (order === 'ascending' ? 1 : -1) * compareText(left.id, right.id))
    .slice(0, limit)
}

export function isAfter(place: string, after: string | null, order: Order): boolean {
  return after === null || (order === 'ascending' ? place > after : place < after)
}

/** A row with a change applied; a field that is present but undefined must not overwrite. */
export function changed<Row extends object>(
  row: Row,
  change: { readonly [Key in keyof Row]?: Row[Key] | undefined },
): Row {
  const next = { ...row }
  for (const key in change) {
    const value = change[key]
    if (value !== undefined) next[key] = value
  }
  return next
}

export function takenUid(uid: string): PosthornError {
  return new PosthornError(
    'already_exists',
    `Expected \`uid\` to be free, got "${uid}", which is taken. Choose another, or update the one there is.`,
  )
}

function refuseTakenUid(state: State, { id, uid }: Application): void {
  const other = uid === null ? undefined : withUid(state, uid)
  if (other !== undefined && other.id !== id) throw takenUid(other.uid ?? '')
}

function withUid(state: State, uid: string): Application | undefined {
  for (const { application } of state.applications.values()) if (application.uid === uid) return application
  return undefined
}
