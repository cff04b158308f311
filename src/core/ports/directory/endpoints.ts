import type { Endpoint, EndpointSettings, EndpointStatus, EndpointWithLimits } from '../../endpoint/endpoint.ts'
import type { Subscriber } from '../../endpoint/subscribers.ts'
import type { Secret } from '../../signing/signature.ts'
import type { Instant } from '../../time.ts'
import type { Actor, AuditNote } from '../audit.ts'
import type { AttemptCount, EndpointFigures, EndpointHealthCounts, LastFailure, NextRetry } from '../figures.ts'
import type { MinuteCounts } from '../overview.ts'
import type { Page } from './page.ts'

export interface EndpointDirectory {
  createEndpoint(endpoint: Endpoint, by?: Actor): Promise<Endpoint>
  /** Within an application by id or uid; across all (null) by id only, because two applications may use the same uid. */
  endpoint(applicationId: string | null, idOrUid: string): Promise<Endpoint | null>
  /** `text` is searched in url, description and uid. */
  listEndpoints(
    filter: { applicationId?: string | undefined; text?: string | undefined },
    page: Page,
  ): Promise<Endpoint[]>
  /** Endpoints of applications, up to a number for each, oldest first, with each application's total. */
  endpointsOf(applicationIds: readonly string[], mostEach: number): Promise<OwnedEndpoint[]>
  /** A new URL, or a status set to active, starts a new generation of the endpoint's health, without failures. */
  updateEndpoint(id: string, change: EndpointChange, now: Instant, audited?: AuditNote): Promise<Endpoint | null>
  /** Adds a secret; earlier ones expire at the given time. */
  rotateSecret(rotation: SecretRotation): Promise<Endpoint | null>
  /** Endpoints with their secrets, by id, for the engine; including deleted ones. */
  endpointsById(ids: readonly string[]): Promise<EndpointWithLimits[]>
  /** An application's endpoints, as far as matching needs them, with the version that `enqueue` checks. */
  matching(applicationId: string): Promise<{ endpointsVersion: number; endpoints: Subscriber[] } | null>
  /** An endpoint's deliveries in a time range: ended ones from the rollups, open ones counted up to a bound. */
  endpointCounts(endpointId: string, since: Instant, until: Instant): Promise<EndpointCounts>
  /** The state of endpoints, in the given order; only hours with activity. */
  endpointFigures(endpointIds: readonly string[], since: Instant): Promise<EndpointFigures[]>
  /** The endpoints that have only failed since a time, longest streak first. */
  failingEndpoints(filter: { applicationId?: string | undefined }, limit: number): Promise<Endpoint[]>
  /** How many endpoints are healthy, and how many are not; counted up to a bound. */
  endpointHealthCounts(now: Instant): Promise<EndpointHealthCounts>
  /** How the newest failed attempts at an endpoint ended, most frequent first; reads a bounded number. */
  failuresOf(endpointId: string, most: number): Promise<AttemptCount[]>
  /** The last failure among the newest attempts at an endpoint; null if there is none. Reads a bounded number. */
  lastFailureOf(endpointId: string, most: number): Promise<LastFailure | null>
  /** The retry of an endpoint that is due first; null if none is waiting. */
  nextRetryOf(endpointId: string): Promise<NextRetry | null>
  /** Attempts at an endpoint, summed over intervals (`minute` is their start), oldest first; empty ones are left out. */
  endpointBuckets(endpointId: string, since: Instant, bucketMs: number): Promise<MinuteCounts[]>
}

export type EndpointChange = Partial<EndpointSettings> & {
  readonly status?: EndpointStatus | undefined
  readonly statusReason?: string | null | undefined
}

/** An endpoint as far as a summary of its application needs it. */
export interface OwnedEndpoint extends Pick<
  Endpoint,
  'id' | 'applicationId' | 'status' | 'statusReason' | 'statusSince'
> {
  /** How many endpoints the application has. */
  readonly among: number
}

export interface SecretRotation {
  readonly endpointId: string
  readonly secret: Secret
  readonly othersEndAt: Instant
  readonly now: Instant
  readonly by?: Actor | undefined
}

export interface EndpointCounts {
  readonly delivered: number
  readonly dead: number
  readonly cancelled: number
  /** Open and never attempted. */
  readonly fresh: number
  /** Open after an attempt or under a lease: in flight, or waiting for a retry. */
  readonly retrying: number
}
