import { checkUid } from '../core/endpoint.ts'
import type { Application } from '../core/endpoint.ts'
import { expected } from '../core/errors.ts'
import { isId, makeId } from '../core/ids.ts'
import type { Page } from '../core/ports.ts'
import { checkPage } from './page.ts'
import type { ResourceParts } from './parts.ts'

export interface ApplicationInput {
  /** The name your own system has for it; `send` and `endpoints` take it in place of the id. */
  readonly uid?: string
  readonly name?: string
}

/** The tenants. One is made on first use, so most programs never call `create`. */
export interface Applications {
  create(input?: ApplicationInput): Promise<Application>
  get(idOrUid: string): Promise<Application>
  list(page?: Partial<Page>): Promise<Application[]>
  update(idOrUid: string, change: ApplicationInput): Promise<Application>
  /** Ends its endpoints too; what is on its way to them ends dead. */
  delete(idOrUid: string): Promise<void>
}

export function makeApplications({ ready, directory, clock, random }: ResourceParts): Applications {
  async function get(idOrUid: string): Promise<Application> {
    await ready()
    return found(await directory.application(idOrUid), idOrUid)
  }

  return {
    get,
    async create(input = {}) {
      const uid = input.uid === undefined ? null : checkUid(input.uid)
      await ready()
      const now = clock.now()
      return directory.createApplication({ id: makeId('app', now, random), uid, name: checkName(input.name ?? uid ?? ''), createdAt: now, updatedAt: now })
    },
    async list(page = {}) {
      await ready()
      return directory.listApplications(checkPage(page))
    },
    async update(idOrUid, { uid, name }) {
      const change = { ...(uid === undefined ? {} : { uid: checkUid(uid) }), ...(name === undefined ? {} : { name: checkName(name) }) }
      const { id } = await get(idOrUid)
      return found(await directory.updateApplication(id, change, clock.now()), idOrUid)
    },
    async delete(idOrUid) {
      const { id } = await get(idOrUid)
      await directory.deleteApplication(id, clock.now())
    },
  }
}

/** How an application is named elsewhere: by its id, or by the uid that it has or will be made with. */
export function checkApplication(idOrUid: unknown): string {
  return typeof idOrUid === 'string' && isId('app', idOrUid) ? idOrUid : checkUid(idOrUid, 'application')
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && name.length <= 256) return name
  throw expected('invalid_argument', 'name', 'text of at most 256 characters', name)
}

function found(application: Application | null, idOrUid: string): Application {
  if (application !== null) return application
  throw expected('not_found', 'application', 'the id or uid of an application that exists', idOrUid)
}
