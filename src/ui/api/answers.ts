import type { z } from 'zod'
import type { listOf } from '../../server/schemas/common.ts'
import type { auditOut } from '../../server/schemas/operator/audit.ts'
import type { configOut } from '../../server/schemas/operator/config.ts'
import type { deadLettersOut } from '../../server/schemas/operator/dead-letters.ts'
import type { deliveryDetailOut, deliveryOut } from '../../server/schemas/operator/delivery.ts'
import type { endpointDetailOut, endpointOverviewOut } from '../../server/schemas/operator/endpoint-overview.ts'
import type { jobOut } from '../../server/schemas/operator/job.ts'
import type { keyOut } from '../../server/schemas/operator/key.ts'
import type { overviewOut } from '../../server/schemas/operator/overview.ts'
import type { searchOut } from '../../server/schemas/operator/search.ts'
import type { openSessionOut, sessionOut } from '../../server/schemas/operator/session.ts'
import type { applicationOut } from '../../server/schemas/svix/application.ts'
import type { eventTypeOut } from '../../server/schemas/svix/event-type.ts'

/** The answers of the HTTP API that the dashboard reads, as the server's own schemas describe them; times are ISO 8601. */
export type List<Item> = Omit<z.output<ReturnType<typeof listOf>>, 'data'> & { readonly data: readonly Item[] }

export type Session = z.output<typeof sessionOut>
export type OpenSession = z.output<typeof openSessionOut>

export type Delivery = z.output<typeof deliveryOut>
/** `searched` is there when payloads were searched: how many of the newest deliveries were looked into. */
export type DeliveryList = List<Delivery> & { readonly searched?: number }
export interface DeliveryCounts {
  readonly data: readonly { readonly status: Delivery['status']; readonly count: number; readonly atLeast: boolean }[]
}
export type DeliveryDetail = z.output<typeof deliveryDetailOut>
export type Attempt = DeliveryDetail['attempts'][number]
export type SentRequest = NonNullable<Attempt['request']>

export type DeadLetters = z.output<typeof deadLettersOut>
export type DeadLetterGroup = DeadLetters['data'][number]

export type Endpoint = z.output<typeof endpointOverviewOut>
export type EndpointDetail = z.output<typeof endpointDetailOut>
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
export type Application = z.output<typeof applicationOut>
