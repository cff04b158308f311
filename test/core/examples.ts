import type { Delivery } from '../../src/core/delivery/delivery.ts'
import type { Endpoint } from '../../src/core/endpoint/endpoint.ts'

/** A pending delivery without history; a test names only what it is about. */
export function aDelivery(over: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_0000000000000000001',
    endpointId: 'ep_0000000000000000001',
    applicationId: 'app_0000000000000000001',
    messageId: 'msg_0000000000000000001',
    eventType: 'invoice.paid',
    sessionId: null,
    targetUrl: 'https://example.com/hooks',
    status: 'pending',
    reason: null,
    attemptCount: 0,
    nextRetryAt: 0,
    lastAttemptedAt: null,
    errorDetail: null,
    policy: 'standard',
    leaseOwner: null,
    leaseUntil: null,
    leaseEpoch: 0,
    interruptions: 0,
    crashCount: 0,
    requeuedAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...over,
  }
}

/** An active endpoint that wants everything. */
export function anEndpoint(over: Partial<Endpoint> = {}): Endpoint {
  return {
    id: 'ep_0000000000000000001',
    applicationId: 'app_0000000000000000001',
    uid: null,
    url: 'https://example.com/hooks',
    description: '',
    status: 'active',
    statusReason: null,
    statusSince: 0,
    types: [],
    channels: [],
    filter: null,
    headers: {},
    authentication: null,
    metadata: {},
    policy: 'standard',
    signature: 'standard',
    bodyHeader: 'x-webhook-signature',
    ratePerSecond: null,
    secrets: [],
    createdAt: 0,
    updatedAt: 0,
    ...over,
  }
}
