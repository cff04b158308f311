import type { Job } from '../../delivery/job.ts'
import type { Application } from '../../endpoint/endpoint.ts'
import type { Instant } from '../../time.ts'
import type { Actor } from '../audit.ts'
import type { Page } from './page.ts'

export interface ApplicationDirectory {
  createApplication(application: Application, by?: Actor): Promise<Application>
  /** By id or uid; null if there is none. */
  application(idOrUid: string): Promise<Application | null>
  /** Customers' applications only, without the one for operational webhooks. `text` is searched in name, uid and id. */
  listApplications(page: Page, text?: string): Promise<Application[]>
  updateApplication(id: string, change: ApplicationChange, now: Instant, by?: Actor): Promise<Application | null>
  /**
   * Deletes an application, hides all its data, and stores the job that erases it; a running job is returned
   * unchanged. Also for the remains of an application that was deleted before; null if there are none.
   */
  eraseApplication(job: ErasureJob, by?: Actor): Promise<Job | null>
  /** The given ids that belong to applications, in no order. */
  applicationsAmong(ids: readonly string[]): Promise<string[]>
}

/** A job that erases an application. */
export type ErasureJob = Job & { readonly applicationId: string }

export type ApplicationChange = Partial<Pick<Application, 'name' | 'uid' | 'metadata' | 'ratePerSecond'>>
