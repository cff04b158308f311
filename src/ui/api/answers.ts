import type { z } from 'zod'
import type { listOf } from '../../server/schemas/common.ts'
import type { auditOut } from '../../server/schemas/operator/audit.ts'
import type { configOut } from '../../server/schemas/operator/config.ts'
import type { deadLettersOut } from '../../server/schemas/operator/delivery/dead-letters.ts'
import type {
  deliveryDetailOut,
  deliveryOut,
  listedDeliveryOut,
} from '../../server/schemas/operator/delivery/delivery.ts'
import type {
  endpointDetailOut,
  endpointOverviewOut,
} from '../../server/schemas/operator/endpoint/endpoint-overview.ts'
import type { applicationOverviewOut } from '../../server/schemas/operator/application-overview.ts'
import type { endpointTimelineOut, filterTrialOut } from '../../server/schemas/operator/endpoint/endpoint-trial.ts'
import type { eventTypeOverviewOut, schemaCheckOut } from '../../server/schemas/operator/event-type.ts'
import type { erasableOut, jobOut } from '../../server/schemas/operator/job.ts'
import type { keyOut } from '../../server/schemas/operator/key.ts'
import type { messageDetailOut, messageOverviewOut } from '../../server/schemas/operator/message-overview.ts'
import type { overviewOut } from '../../server/schemas/operator/overview.ts'
import type { signatureOut } from '../../server/schemas/operator/delivery/signature.ts'
import type { searchOut } from '../../server/schemas/operator/search.ts'
import type { openSessionOut, sessionOut } from '../../server/schemas/operator/session.ts'
import type { applicationOut } from '../../server/schemas/svix/application.ts'
import type { attemptOut, messageEndpointOut } from '../../server/schemas/svix/attempt.ts'
import type { endpointOut, endpointSecretOut } from '../../server/schemas/svix/endpoint.ts'
import type { eventTypeOut } from '../../server/schemas/svix/event-type.ts'
import type { messageOut } from '../../server/schemas/svix/message.ts'

/** The answers of the HTTP API that the dashboard reads, as the server's own schemas describe them; times are ISO 8601. */
export type List<Item> = Omit<z.output<ReturnType<typeof listOf>>, 'data'> & { readonly data: readonly Item[] }

export type Session = z.output<typeof sessionOut>
export type OpenSession = z.output<typeof openSessionOut>

export type Delivery = z.output<typeof deliveryOut>
export type ListedDelivery = z.output<typeof listedDeliveryOut>
/** `searched` is there when payloads were searched: how many of the newest deliveries were looked into. */
export type DeliveryList = List<ListedDelivery> & { readonly searched?: number }
export interface DeliveryCounts {
  readonly data: readonly { readonly status: Delivery['status']; readonly count: number; readonly atLeast: boolean }[]
}
export type DeliveryDetail = z.output<typeof deliveryDetailOut>
export type Attempt = DeliveryDetail['attempts'][number]
export type SignatureCheck = z.output<typeof signatureOut>

export type DeadLetters = z.output<typeof deadLettersOut>
export type DeadLetterGroup = DeadLetters['data'][number]

export type Endpoint = z.output<typeof endpointOverviewOut>
export type EndpointDetail = z.output<typeof endpointDetailOut>
export type EndpointTimeline = z.output<typeof endpointTimelineOut>
export type FilterTrial = z.output<typeof filterTrialOut>
export type HealthState = Endpoint['health']['state']
export type Hour = Endpoint['hours'][number]

export type Overview = z.output<typeof overviewOut>
export type Worker = Overview['workers'][number]
export type Alarm = Overview['alarms'][number]

export type Job = z.output<typeof jobOut>
export type AuditEntry = z.output<typeof auditOut>
export type Key = z.output<typeof keyOut>

export type Config = z.output<typeof configOut>
export type Setting = Config['settings'][number]
export type Policy = Config['policies'][number]

export type Found = z.output<typeof searchOut>['data'][number]

export type EventType = z.output<typeof eventTypeOut>
export type EventTypeOverview = z.output<typeof eventTypeOverviewOut>
export type SchemaCheck = z.output<typeof schemaCheckOut>
export type SchemaProblem = NonNullable<SchemaCheck['problem']>
export type Application = z.output<typeof applicationOut>
export type ApplicationOverview = z.output<typeof applicationOverviewOut>
export type Erasable = z.output<typeof erasableOut>

export type MessageOverview = z.output<typeof messageOverviewOut>
export type MessageDetail = z.output<typeof messageDetailOut>

/** What the portal reads: the answers that clients of Svix know. */
export type PortalAttempt = z.output<typeof attemptOut>
export type PortalEndpoint = z.output<typeof endpointOut>
export type PortalMessage = z.output<typeof messageOut>
export type MessageDestination = z.output<typeof messageEndpointOut>
export type EndpointSecret = z.output<typeof endpointSecretOut>
