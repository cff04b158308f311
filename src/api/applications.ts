import { checkMetadata, checkUid } from '../core/endpoint/endpoint.ts'
import type { Application } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { isId, makeId } from '../core/ids.ts'
import { checkCount } from '../core/limits/limits.ts'
import type { ApplicationChange, Page } from '../core/ports/directory.ts'
import { given } from '../core/given.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import { checkPage } from './input/page.ts'
import type { ResourceParts } from './parts.ts'

export interface ApplicationInput {
  /** The name your own system has for it; `send` and `endpoints` take it in place of the id. */
  readonly uid?: string | null | undefined
  readonly name?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Deliveries per second to all its endpoints together, over all workers; null for no limit. */
  readonly ratePerSecond?: number | null | undefined
}

/** The tenants. One is created on first use, so most programs never call `create`. */
export interface Applications {
  create(input?: ApplicationInput, by?: By): Promise<Application>
  get(idOrUid: string): Promise<Application>
  list(page?: Partial<Page>): Promise<Application[]>
  update(idOrUid: string, change: ApplicationInput, by?: By): Promise<Application>
  /** Ends its endpoints too; what is on its way to them ends dead. */
  delete(idOrUid: string, by?: By): Promise<void>
}

export function makeApplications({ ready, directory, clock, random }: ResourceParts): Applications {
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
    async list(page = {}) {
      await ready()
      return directory.listApplications(checkPage(page))
    },
    async update(idOrUid, input, by = {}) {
      const change = checked(input)
      const { id } = await get(idOrUid)
      return found(await directory.updateApplication(id, change, clock.now(), actor(by)), idOrUid)
    },
    async delete(idOrUid, by = {}) {
      const { id } = await get(idOrUid)
      await directory.deleteApplication(id, clock.now(), actor(by))
    },
  }
}

/** How an application is named elsewhere: by its id, or by the uid that it has or will be created with. */
export function checkApplication(idOrUid: unknown): string {
  return typeof idOrUid === 'string' && isId('app', idOrUid) ? idOrUid : checkUid(idOrUid, 'application')
}

/** The id of an application that must be there already. */
export async function applicationIdOf(
  { directory }: Pick<ResourceParts, 'directory'>,
  idOrUid: string,
): Promise<string> {
  return found(await directory.application(idOrUid), idOrUid).id
}

/** What was given, and nothing else: `undefined` means "not given". */
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
