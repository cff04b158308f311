import { isAnyId } from '../../core/ids.ts'
import { markIn, markName, markOf, markText } from './mark.ts'
import type { Mark } from './mark.ts'
import type { OurApplication, OurEventType, OurResource } from './our-resources.ts'
import type { SvixEventType } from './svix-answers.ts'
import { nameOf } from './svix-export.ts'
import type { ExportedApplication, ExportedEndpoint, NotTaken, SvixExport } from './svix-export.ts'

/** What an import is going to do: decided as a whole before anything is done. */
export interface ImportPlan {
  readonly eventTypes: readonly SvixEventType[]
  readonly applications: readonly PlannedApplication[]
  readonly unchanged: number
  /** Names that are already used here by something else. If there are any, nothing is done. */
  readonly collisions: readonly string[]
  readonly notTaken: readonly NotTaken[]
}

export interface PlannedApplication {
  /** Its id here; null if it is to be created. */
  readonly id: string | null
  readonly what: string
  /** Null if it has not changed in Svix since the last import. */
  readonly body: Body | null
  readonly endpoints: readonly PlannedEndpoint[]
}

export interface PlannedEndpoint {
  readonly id: string | null
  readonly what: string
  readonly body: Body
  readonly headers: Readonly<Record<string, string>>
  /** Null if it is the same as at the last import. */
  readonly secret: string | null
}

export type Body = Readonly<Record<string, unknown>>

/** Compares what is in Svix with what is here. */
export function planImport(
  from: SvixExport,
  here: { readonly applications: readonly OurApplication[]; readonly eventTypes: readonly OurEventType[] },
): ImportPlan {
  const types = planEventTypes(from.eventTypes, here.eventTypes)
  const parts = from.applications.map((application) =>
    planApplication(
      application,
      here.applications.find(({ uid }) => uid === uidOf(application)),
    ),
  )
  const sum = <Item>(pick: (part: Part) => readonly Item[]): Item[] => parts.flatMap(pick)
  return {
    eventTypes: types.missing,
    applications: sum(({ applications }) => applications),
    unchanged: types.unchanged + parts.reduce((total, part) => total + part.unchanged, 0),
    collisions: [...twins('application', from.applications), ...sum(({ collisions }) => collisions)],
    notTaken: [...from.notTaken, ...types.notTaken, ...sum(({ notTaken }) => notTaken)],
  }
}

/** The part of the plan about one application. */
type Part = Omit<ImportPlan, 'eventTypes'>

/** Event types carry no mark: existing ones are left alone. */
function planEventTypes(
  wanted: readonly SvixEventType[],
  here: readonly OurEventType[],
): { missing: SvixEventType[]; unchanged: number; notTaken: NotTaken[] } {
  const byName = new Map(here.map((type) => [type.name, markOf('', eventTypeBody(type)).settings]))
  const missing = wanted.filter(({ name }) => !byName.has(name))
  const same = wanted.filter((type) => byName.get(type.name) === markOf('', eventTypeBody(type)).settings)
  const others = wanted.filter((type) => !missing.includes(type) && !same.includes(type))
  const why = 'there is one here that is different, and stays as it is'
  return {
    missing,
    unchanged: same.length,
    notTaken: others.map(({ name }) => ({ what: `event type ${name}`, why })),
  }
}

export function eventTypeBody({ name, description, schemas, archived, deprecated, featureFlag }: SvixEventType): Body {
  return { name, description, schemas, archived, deprecated, featureFlag }
}

function planApplication(application: ExportedApplication, found: OurApplication | undefined): Part {
  const { id, name, throttleRate, metadata, endpoints } = application
  const uid = uidOf(application)
  const other = otherThan(id, found)
  if (other !== null) {
    const collisions = [`application ${uid} is ${other} here, which is not from ${id} of Svix`]
    return { applications: [], unchanged: 0, collisions, notTaken: [] }
  }
  const settings = { name, uid, throttleRate, metadata }
  const mark = markOf(id, settings)
  const isSame = markIn(found)?.settings === mark.settings
  const present = found?.endpoints ?? []
  const planned = endpoints.map((endpoint) => planEndpoint(application, endpoint, present))
  return {
    applications: [
      {
        id: found?.id ?? null,
        what: `application ${uid}`,
        body: isSame ? null : marked(settings, mark),
        endpoints: planned.flatMap((each) => each.endpoint ?? []),
      },
    ],
    unchanged: (isSame ? 1 : 0) + planned.filter(({ endpoint, collision }) => endpoint === collision).length,
    collisions: [...twins(`endpoint of ${uid}:`, endpoints), ...planned.flatMap(({ collision }) => collision ?? [])],
    notTaken: leftHere(uid, endpoints, present),
  }
}

/** What is to be done, or why it cannot be; neither if nothing has changed. */
function planEndpoint(
  application: ExportedApplication,
  endpoint: ExportedEndpoint,
  present: readonly OurResource[],
): { endpoint: PlannedEndpoint | null; collision: string | null } {
  const { id, headers, secret, ...rest } = endpoint
  const uid = uidOf(endpoint)
  const found = present.find((each) => each.uid === uid)
  const other = otherThan(id, found)
  if (other !== null) {
    const collision = `endpoint ${uid} of ${uidOf(application)} is ${other} here, which is not from ${id} of Svix`
    return { endpoint: null, collision }
  }
  const settings = { ...rest, uid }
  const [before, mark] = [markIn(found), markOf(id, { ...settings, headers }, secret)]
  const hasSameSecret = before?.secret === mark.secret
  if (before?.settings === mark.settings && hasSameSecret) return { endpoint: null, collision: null }
  const planned = {
    id: found?.id ?? null,
    what: nameOf(application, endpoint),
    body: marked(settings, mark),
    headers,
    secret: hasSameSecret ? null : secret,
  }
  return { endpoint: planned, collision: null }
}

/** The id of a resource that did not come from this Svix resource. */
function otherThan(svixId: string, found: OurResource | undefined): string | null {
  return found === undefined || markIn(found)?.id === svixId ? null : found.id
}

function marked(settings: Body & { readonly metadata: Readonly<Record<string, string>> }, mark: Mark): Body {
  return { ...settings, metadata: { ...settings.metadata, [markName]: markText(mark) } }
}

/** The name by which both the caller's code and a repeated import find it: its uid; without one its Svix id, so that calls by that id keep working. */
export function uidOf({ id, uid }: { readonly id: string; readonly uid: string | null }): string {
  return uid ?? (isAnyId(id) ? `svix.${id}` : id)
}

/** Resources that would get the same name here. */
function twins(what: string, all: readonly (ExportedApplication | ExportedEndpoint)[]): string[] {
  const seen = new Set<string>()
  return all
    .map(uidOf)
    .filter((uid) => seen.has(uid) || !seen.add(uid))
    .map((uid) => `${what} ${uid} is the uid of one and the id of another in Svix`)
}

/** Endpoints of an earlier import that are no longer in Svix. Whoever deleted them there may want to delete them here, too. */
function leftHere(owner: string, wanted: readonly ExportedEndpoint[], present: readonly OurResource[]): NotTaken[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return present
    .filter((each) => markIn(each) !== null && !ids.has(markIn(each)?.id ?? ''))
    .map(({ id }) => ({
      what: `deletion of an endpoint of ${owner}`,
      why: `it is no longer in Svix; delete it here, too: posthorn endpoints delete ${id}`,
    }))
}
