import type { Instant } from '../time.ts'
import type { AlarmDirectory } from './alarms.ts'
import type { AuditEntry, AuditFilter, Noted } from './audit.ts'
import type { ApplicationDirectory } from './directory/applications.ts'
import type { DeliveryDirectory } from './directory/deliveries.ts'
import type { EndpointDirectory } from './directory/endpoints.ts'
import type { EventTypeDirectory } from './directory/event-types.ts'
import type { EventDirectory } from './directory/events.ts'
import type { JobDirectory } from './directory/jobs.ts'
import type { KeyDirectory } from './directory/keys.ts'
import type { MessageDirectory } from './directory/messages.ts'
import type { Page } from './directory/page.ts'
import type { ReplyDirectory } from './directory/replies.ts'
import type { Overview } from './overview.ts'
import type { SearchDirectory } from './search.ts'
import type { SeenWorker } from './worker.ts'

/** The operators' half of a store: everything that people and the API read and write. */
export interface Directory
  extends
    ApplicationDirectory,
    EndpointDirectory,
    EventTypeDirectory,
    MessageDirectory,
    DeliveryDirectory,
    JobDirectory,
    KeyDirectory,
    ReplyDirectory,
    EventDirectory,
    AlarmDirectory,
    SearchDirectory {
  /** Of all applications, or of one. */
  overview(request: { now: Instant; windowMs: number; applicationId?: string | undefined }): Promise<Overview>
  /** Newest first. */
  audit(filter: AuditFilter, page: Page): Promise<AuditEntry[]>
  /** Returns the id of the entry. */
  note(noted: Noted): Promise<string>
  /** Adds to how often the event of an entry has happened. */
  countNote(id: string, more: number): Promise<void>
  workers(): Promise<SeenWorker[]>
}
