import type { Attempt } from '../../delivery/attempt.ts'
import type { Delivery } from '../../delivery/delivery.ts'
import type { Instant } from '../../time.ts'
import type { Actor } from '../audit.ts'
import type { DeadLetterGroup, LastAttempt } from '../figures.ts'
import type { DeliveryFilter, NewDelivery } from '../queue.ts'
import type { Page, Scan } from './page.ts'

export interface DeliveryDirectory {
  delivery(id: string): Promise<Delivery | null>
  /** Newest first. */
  listDeliveries(filter: DeliveryFilter, page: Page): Promise<Delivery[]>
  countDeliveries(filter: DeliveryFilter, most: number): Promise<number>
  /** Dead letters by endpoint, reason and error, counting at most this many. */
  deadLetters(
    filter: { endpointId?: string | undefined; applicationId?: string | undefined },
    most: number,
  ): Promise<DeadLetterGroup[]>
  /** How many retries of its endpoint are due before this one, counted up to a bound. */
  dueBefore(delivery: Delivery, most: number): Promise<number>
  /** Open deliveries whose lease expired before a time and that nobody has claimed since; counted up to a bound. */
  endedLeases(before: Instant, most: number): Promise<number>
  attempts(deliveryId: string): Promise<Attempt[]>
  /** The last attempt of each attempted delivery, in no order. */
  lastAttempts(deliveryIds: readonly string[]): Promise<LastAttempt[]>
  /** Newest delivery first, newest attempt first within it; `after` is the id of an attempt. Bounded like `listMessages`. */
  listAttempts(filter: AttemptFilter, page: Page): Promise<Scan<AttemptOfDelivery>>
  /** Erases the stored response for good. */
  eraseAttempt(attempt: { deliveryId: string; epoch: number; now: Instant; by?: Actor }): Promise<boolean>
  /** A new delivery of an old message: a resend, or a replay to an endpoint that never got it. Treated as requeued now. */
  addDelivery(delivery: NewDelivery & { messageId: string }, now: Instant, by: Actor): Promise<Delivery | null>
}

/** Of one endpoint, of one message, or of both; all other given conditions must hold. */
export interface AttemptFilter {
  readonly endpointId?: string | undefined
  readonly messageId?: string | undefined
  readonly succeeded?: boolean | undefined
  /** 200 for 200 to 299; 0 for no response. */
  readonly statusCodeClass?: number | undefined
  readonly types?: readonly string[] | undefined
  readonly channel?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}

export interface AttemptOfDelivery {
  readonly attempt: Attempt
  readonly delivery: Delivery
}
