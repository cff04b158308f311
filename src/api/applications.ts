import { operationsUid } from '../core/alarms/operational.ts'
import type { Job } from '../core/delivery/job.ts'
import { checkMetadata, checkUid } from '../core/endpoint/endpoint.ts'
import type { Application } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { isId, makeId } from '../core/ids.ts'
import { checkCount } from '../core/limits/limits.ts'
import type { ApplicationChange } from '../core/ports/directory/applications.ts'
import type { Page } from '../core/ports/directory/page.ts'
import { given } from '../core/given.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

export interface ApplicationInput {
  /** Your own system's id for it; `send` and `endpoints` accept it in place of the id. */
  readonly uid?: string | null | undefined
  readonly name?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Deliveries per second to all its endpoints together, across all workers; null for no limit. */
  readonly ratePerSecond?: number | null | undefined
}

interface ApplicationParts extends ResourceParts {
  /** Announces that there may be bulk work. */
  readonly wake: () => void
}

/** How much data an application has, each kind counted up to a million. */
export interface Erasable {
  readonly endpoints: number
  readonly messages: number
  readonly deliveries: number
}

/** Counting stops here. */
const mostCounted = 1_000_000

/** The tenants. An application is created on first use, so most programs never call `create`. */
export interface Applications {
  create(input?: ApplicationInput, by?: By): Promise<Application>
  get(idOrUid: string): Promise<Application>
  /** `text` is searched in name, uid and id. */
  list(page?: Partial<Page>, filter?: { readonly text?: string | undefined }): Promise<Application[]>
  update(idOrUid: string, change: ApplicationInput, by?: By): Promise<Application>
  /** Also deletes its endpoints; their open deliveries end dead. From then on none of its data is shown: a job erases it all. */
  delete(idOrUid: string, by?: By): Promise<void>
  /** What an erasure would erase now. */
  erasable(idOrUid: string): Promise<Erasable>
  /** Also erases the remains of an application that was deleted before; returns the job. */
  erase(idOrUid: string, by?: By): Promise<Job>
}

export function makeApplications(parts: ApplicationParts): Applications {
  const { ready, directory, clock, random } = parts

  async function get(idOrUid: string): Promise<Application> {
    await ready()
    return found(await directory.application(idOrUid), idOrUid)
  }

  return {
    get,
    async create(input = {}, by = {}) {
      const { uid = null, name = uid ?? '', metadata = {}, ratePerSecond = null } = checked(input)
      await ready()
      const now = clock.now()
      const application = {
        id: makeId('app', now, random),
        uid,
        name: checkName(name),
        metadata,
        ratePerSecond,
        createdAt: now,
        updatedAt: now,
      }
      return directory.createApplication(application, actor(by))
    },
    async list(page = {}, { text } = {}) {
      await ready()
      return directory.listApplications(checkPage(page), text)
    },
    async update(idOrUid, input, by = {}) {
      const change = checked(input)
      const before = await get(idOrUid)
      if (input.uid !== undefined && input.uid !== before.uid) refuseReserved(before, 'renamed')
      return found(await directory.updateApplication(before.id, change, clock.now(), actor(by)), idOrUid)
    },
    async delete(idOrUid, by = {}) {
      await eraseApplication(parts, await get(idOrUid), by)
    },
    async erasable(idOrUid) {
      return erasableOf(parts, (await get(idOrUid)).id)
    },
    async erase(idOrUid, by = {}) {
      await ready()
      return eraseApplication(parts, (await directory.application(idOrUid)) ?? { id: idOrUid, uid: null }, by)
    },
  }
}

async function erasableOf({ directory }: ResourceParts, applicationId: string): Promise<Erasable> {
  const [[endpoint], messages, deliveries] = await Promise.all([
    directory.endpointsOf([applicationId], 1),
    directory.countMessages({ applicationId }, mostCounted),
    directory.countDeliveries({ applicationId }, mostCounted),
  ])
  return { endpoints: endpoint?.among ?? 0, messages, deliveries }
}

/** Deletes an application and starts the job that erases its data. */
async function eraseApplication(
  { directory, clock, random, wake }: ApplicationParts,
  application: Pick<Application, 'id' | 'uid'>,
  by: By,
): Promise<Job> {
  refuseReserved(application, 'deleted')
  const applicationId = application.id
  const matching = await directory.countMessages({ applicationId }, mostCounted)
  const { name, reason = null } = actor(by)
  const now = clock.now()
  const asked = { work: { action: 'erase', filter: { applicationId } }, actor: name, reason } as const
  const begun = {
    state: 'running',
    matching,
    done: 0,
    skipped: 0,
    cursor: null,
    createdAt: now,
    updatedAt: now,
  } as const
  const job = await directory.eraseApplication(
    { id: makeId('job', now, random), applicationId, ...asked, ...begun },
    actor(by),
  )
  if (job === null)
    throw expected('not_found', 'application', 'the id or uid of an application that exists', applicationId)
  wake()
  return job
}

/** An application is named by its id, or by the uid that it has or will be created with. */
export function checkApplication(idOrUid: unknown): string {
  return typeof idOrUid === 'string' && isId('app', idOrUid) ? idOrUid : checkUid(idOrUid, 'application')
}

/** The id of an application that must already exist. */
export async function applicationIdOf(
  { directory }: Pick<ResourceParts, 'directory'>,
  idOrUid: string,
): Promise<string> {
  return found(await directory.application(idOrUid), idOrUid).id
}

function refuseReserved({ uid }: Pick<Application, 'uid'>, what: string): void {
  if (uid !== operationsUid) return
  const advice = 'Delete its endpoints instead, to get no more operational webhooks.'
  throw expected('wrong_state', 'application', `one of a customer, to be ${what}`, uid, advice)
}

/** Only the given fields: `undefined` means "not given". */
function checked({ uid, name, metadata, ratePerSecond }: ApplicationInput): ApplicationChange {
  if (uid !== undefined && uid !== null) checkUid(uid)
  if (name !== undefined) checkName(name)
  if (metadata !== undefined) checkMetadata(metadata)
  if (ratePerSecond !== undefined && ratePerSecond !== null) checkCount('ratePerSecond', ratePerSecond, 1, 100_000)
  return given({ uid, name, metadata, ratePerSecond })
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && name.length <= 256) return name
  throw expected('invalid_argument', 'name', 'text of at most 256 characters', name)
}

function found(application: Application | null, idOrUid: string): Application {
  if (application !== null) return application
  throw expected('not_found', 'application', 'the id or uid of an application that exists', idOrUid)
}
