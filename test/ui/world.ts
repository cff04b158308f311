import type {
  AuditEntry, Config, DeadLetterGroup, Delivery, DeliveryDetail, EndpointDetail, EventType, Job, Key, Overview, Session, Worker,
} from '../../src/ui/contract.ts'

/** What the development server knows; tests and operations change it in place. */
export interface World {
  session: Session | null
  overview: Overview
  endpoints: EndpointDetail[]
  deliveries: DeliveryDetail[]
  deadLetters: DeadLetterGroup[]
  jobs: Job[]
  audit: AuditEntry[]
  keys: Key[]
  eventTypes: EventType[]
  config: Config
}

type Plant = (text: string) => string

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** A day at a busy shop: most of it works, two endpoints do not. `plant` may spoil every text that people write. */
export function busyWorld(plant: Plant = (text) => text): World {
  const now = Date.now()
  const at = (ago: number): string => new Date(now - ago).toISOString()
  const endpoints = endpointsOf(at, plant)
  const deliveries = deliveriesOf(at, plant, endpoints)
  return {
    session: { caller: { name: plant('ops@acme.example'), applicationId: null, access: 'write' }, dev: false },
    overview: overviewOf(at, endpoints),
    endpoints,
    deliveries,
    deadLetters: deadLettersOf(at, plant, endpoints),
    jobs: jobsOf(at, plant),
    audit: [
      { id: 'aud_3', at: at(4 * minute), actor: plant('ops@acme.example'), action: 'requeue', target: plant('dlv_2y7Kq0a8'), count: 1, reason: null },
      { id: 'aud_2', at: at(38 * minute), actor: plant('mara@acme.example'), action: 'cancel', target: plant('endpoint ep_2Fq8mVw1, dead'), count: 1_204, reason: plant('Superseded by the nightly export') },
      { id: 'aud_1', at: at(26 * hour), actor: plant('ops@acme.example'), action: 'reveal', target: plant('ep_2Fq8mVw1'), count: 1, reason: null },
    ],
    keys: [
      { id: 'key_1', name: plant('production'), appId: null, access: 'write', hint: plant('ph_live_8Zk'), createdAt: at(90 * 24 * hour), expiresAt: null },
      { id: 'key_2', name: plant('status page'), appId: 'app_2Nq4', access: 'read', hint: plant('ph_live_31x'), createdAt: at(9 * 24 * hour), expiresAt: at(-20 * 24 * hour) },
    ],
    eventTypes: eventTypesOf(at, plant),
    config: configOf(plant),
  }
}

/** A server on its first day. */
export function emptyWorld(): World {
  const world = busyWorld()
  const { overview } = world
  return {
    ...world,
    overview: {
      ...overview, attempts: 0, delivered: 0, failed: 0, dead: 0, deadLetterRate: 0, alarm: 'none', latencyP50Ms: null, latencyP95Ms: null, failing: [],
      queue: { fresh: 0, retries: 0, held: 0, dead: 0, atLeast: false, oldestDueAt: null },
      buckets: overview.buckets.map(({ at }) => ({ at, delivered: 0, failed: 0, dead: 0, latencyP50Ms: null, latencyP95Ms: null })),
    },
    endpoints: [], deliveries: [], deadLetters: [], jobs: [], audit: [], eventTypes: [],
  }
}

function endpointsOf(at: (ago: number) => string, plant: Plant): EndpointDetail[] {
  const healthy = { state: 'healthy', sentence: plant('Answers; 99.8 % of its attempts in the last hour succeeded.'), heldUntil: null, failingSince: null, failures: 0 } as const
  const shop = { applicationId: 'app_2Nq4', applicationUid: 'acme', applicationName: plant('Acme Shop') }
  const bank = { applicationId: 'app_7Rt1', applicationUid: null, applicationName: plant('Northwind Bank') }
  const rows: (Partial<EndpointDetail> & Pick<EndpointDetail, 'id' | 'url' | 'applicationId' | 'applicationName'>)[] = [
    { ...shop, id: 'ep_2Fq8mVw1', url: plant('https://hooks.acme.example/v1/invoices'), types: [plant('invoice.paid'), plant('invoice.voided')] },
    {
      ...bank, id: 'ep_5Kc3pLz9', url: plant('https://gateway.northwind.example/webhooks/ledger'), backlog: 24, ratePerSecond: 50,
      health: { state: 'breaker_open', sentence: plant('Held for 41 s more after 10 failures in a row; the last was HTTP 503.'), heldUntil: at(-41 * second), failingSince: at(19 * minute), failures: 14 },
      lastSuccessAt: at(19 * minute),
    },
    {
      ...shop, id: 'ep_8Xv2nBt4', url: plant('https://crm.acme.example/in/customers?source=posthorn'), backlog: 7,
      health: { state: 'degraded', sentence: plant('Fails: no answer within 30 s; 3 of the last 10 attempts succeeded.'), heldUntil: null, failingSince: at(6 * minute), failures: 4 },
    },
    { ...bank, id: 'ep_1Ws6dHj7', url: plant('https://audit.northwind.example/events') },
    {
      ...shop, id: 'ep_3Yb9kMs5', url: plant('https://staging.acme.example/hooks'), status: 'paused', statusReason: plant('Migration until Thursday'), backlog: 312,
      health: { state: 'paused', sentence: plant('Paused by ops@acme.example: Migration until Thursday.'), heldUntil: null, failingSince: null, failures: 0 },
    },
    {
      ...bank, id: 'ep_6Tg4rCn2', url: plant('https://old.northwind.example/notify'), status: 'disabled', statusReason: plant('HTTP 410'), lastSuccessAt: null,
      health: { state: 'disabled', sentence: plant('Disabled because it answered 410 Gone.'), heldUntil: null, failingSince: null, failures: 0 },
    },
  ]
  return rows.map((row, index) => ({
    uid: null, applicationUid: null, description: plant('Invoices to the ledger'), status: 'active', statusReason: null, statusSince: at(40 * 24 * hour), types: null,
    channels: null, policy: 'standard', ratePerSecond: null, createdAt: at((60 - index) * 24 * hour), health: healthy, lastSuccessAt: at((index + 1) * 3 * second), backlog: 0,
    backlogAtLeast: false, hours: hoursOf(at, index, row.health?.state ?? 'healthy'), headers: { [plant('X-Tenant')]: plant('acme') }, filter: null, metadata: {}, signature: 'standard',
    secrets: [{ id: 'sec_2', createdAt: at(3 * hour), expiresAt: null }, { id: 'sec_1', createdAt: at(60 * 24 * hour), expiresAt: at(-21 * hour) }],
    failures: [{ outcome: 'answered', statusCode: 503, count: 214 }, { outcome: 'timeout', statusCode: null, count: 61 }, { outcome: 'tls', statusCode: null, count: 3 }],
    ...row,
  }))
}

function hoursOf(at: (ago: number) => string, seed: number, state: string): EndpointDetail['hours'] {
  return Array.from({ length: 24 }, (_, index) => {
    const wave = Math.round(60 + 45 * Math.sin((index + seed * 3) / 3.5))
    const isBad = (state === 'breaker_open' && index > 22) || (state === 'degraded' && index > 20)
    if (state === 'disabled') return { at: at((24 - index) * hour), delivered: 0, failed: 0, dead: 0 }
    return { at: at((24 - index) * hour), delivered: isBad ? Math.round(wave / 3) : wave, failed: isBad ? wave : index % 7 === 0 ? 4 : 0, dead: isBad ? 6 : 0 }
  })
}

function deliveriesOf(at: (ago: number) => string, plant: Plant, endpoints: readonly EndpointDetail[]): DeliveryDetail[] {
  const kinds: Partial<Delivery>[] = [
    { status: 'delivered', attemptCount: 1 },
    { status: 'pending', attemptCount: 0, inFlight: true, leaseOwner: 'worker-1', leaseUntil: at(-20 * second) },
    { status: 'failed', attemptCount: 3, nextRetryAt: at(-132 * second), errorDetail: plant('HTTP 503: upstream connect error or disconnect/reset before headers') },
    { status: 'delivered', attemptCount: 2 },
    { status: 'dead', reason: 'exhausted', attemptCount: 6, errorDetail: plant('HTTP 500: {"error":"ledger closed for the day"}') },
    { status: 'pending', attemptCount: 0, nextRetryAt: at(0) },
    { status: 'delivered', attemptCount: 1 },
    { status: 'dead', reason: 'cancelled', attemptCount: 2, errorDetail: plant('No answer within 30 s') },
  ]
  const types = ['invoice.paid', 'invoice.voided', 'customer.updated', 'ledger.closed']
  return Array.from({ length: 48 }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? {}
    const isTroubled = kind.status === 'failed' || kind.status === 'dead'
    const endpoint = endpoints[isTroubled ? 1 + (index % 2) : (index * 5) % 4]
    if (endpoint === undefined) throw new Error('Expected the world to have endpoints.')
    return deliveryOf(at, plant, endpoint, index, { ...kind, eventType: plant(types[index % types.length] ?? '') })
  })
}

function deliveryOf(at: (ago: number) => string, plant: Plant, endpoint: EndpointDetail, index: number, kind: Partial<Delivery>): DeliveryDetail {
  const id = `dlv_${(46_656 + index * 977).toString(36)}q0a8`
  const made = (index + 1) * (index + 4) * second
  const delivery: Delivery = {
    id, messageId: `msg_${(46_656 + index * 601).toString(36)}t1`, endpointId: endpoint.id, applicationId: endpoint.applicationId, eventType: 'x', sessionId: null,
    targetUrl: endpoint.url, status: 'pending', reason: null, attemptCount: 0, nextRetryAt: null, lastAttemptedAt: (kind.attemptCount ?? 0) > 0 ? at(made / 2) : null,
    errorDetail: null, policy: 'standard', inFlight: false, leaseOwner: null, leaseUntil: null, requeuedAt: null, createdAt: at(made), updatedAt: at(made / 2), ...kind,
  }
  const payload = JSON.stringify({ type: delivery.eventType, timestamp: delivery.createdAt, data: { invoice: 1042 + index, customer: plant('Ada Lovelace'), total: '149.00', currency: 'EUR', lines: [{ sku: plant('A-17'), quantity: 2 }] } })
  return {
    ...delivery, why: { code: 'waiting_for_retry', sentence: plant(whySentence(delivery)) }, maxAttempts: 6, attempts: attemptsOf(at, plant, delivery, made),
    endpoint: { id: endpoint.id, uid: null, url: endpoint.url, status: endpoint.status, applicationId: endpoint.applicationId },
    application: { id: endpoint.applicationId, uid: null, name: endpoint.applicationName },
    message: { id: delivery.messageId, eventId: plant('inv-1042'), eventType: delivery.eventType, contentType: 'application/json', channels: [plant('eu')], createdAt: delivery.createdAt, bytes: payload.length, payload, truncated: false, binary: false, erased: false },
  }
}

function whySentence({ status, inFlight, attemptCount, reason, errorDetail }: Delivery): string {
  if (inFlight) return 'Being sent by worker-1 under a lease until 12:04:31 UTC.'
  if (status === 'delivered') return `Delivered at attempt ${attemptCount}, 2030-01-01 12:04:11 UTC.`
  if (status === 'failed') return `Waiting for retry ${attemptCount} of 5 after: ${errorDetail ?? ''}`
  if (status === 'dead') return reason === 'cancelled' ? 'Cancelled by a person.' : `Dead after ${attemptCount} failed attempts. The last answer was: ${errorDetail ?? ''}`
  return 'Due, and leaves as soon as a worker has room for its endpoint.'
}

function attemptsOf(at: (ago: number) => string, plant: Plant, delivery: Delivery, made: number): DeliveryDetail['attempts'] {
  return Array.from({ length: delivery.attemptCount }, (_, index) => {
    const isGood = delivery.status === 'delivered' && index === delivery.attemptCount - 1
    const isSilent = !isGood && index % 3 === 1
    return {
      id: `atmpt_${delivery.id.slice(4)}${index}`, number: index + 1, startedAt: at(made / (index + 1)), tookMs: isSilent ? 30_000 : 84 + index * 310, outcome: isSilent ? 'timeout' : 'answered',
      statusCode: isSilent ? null : isGood ? 200 : 503, response: isSilent ? null : isGood ? plant('{"ok":true}') : plant('{\n  "error": "upstream connect error or disconnect/reset before headers",\n  "retryable": true\n}'),
      url: delivery.targetUrl, late: index === 2,
    }
  })
}

function deadLettersOf(at: (ago: number) => string, plant: Plant, endpoints: readonly EndpointDetail[]): DeadLetterGroup[] {
  const group = (index: number, reason: DeadLetterGroup['reason'], errorDetail: string | null, count: number, ago: number): DeadLetterGroup => ({
    endpointId: endpoints[index]?.id ?? '', applicationId: endpoints[index]?.applicationId ?? '', url: endpoints[index]?.url ?? '', reason, errorDetail, count, newestAt: at(ago),
  })
  return [
    group(1, 'exhausted', plant('HTTP 503: upstream connect error'), 9, 2 * minute),
    group(1, 'exhausted', plant('HTTP 500: {"error":"ledger closed for the day"}'), 3, 20 * minute),
    group(2, 'exhausted', plant('No answer within 30 s'), 2, 7 * minute),
    group(2, 'cancelled', null, 1, 3 * hour),
  ]
}

function overviewOf(at: (ago: number) => string, endpoints: readonly EndpointDetail[]): Overview {
  const buckets = Array.from({ length: 60 }, (_, index) => {
    const wave = Math.round(120 + 50 * Math.sin(index / 6) + 18 * Math.sin(index * 1.7))
    const isBad = index > 40
    return {
      at: at((60 - index) * minute), delivered: wave, failed: isBad ? Math.round(12 + 8 * Math.sin(index)) : index % 11 === 0 ? 3 : 0, dead: isBad && index % 6 === 0 ? 3 : 0,
      latencyP50Ms: 80 + Math.round(20 * Math.sin(index / 4)), latencyP95Ms: (isBad ? 900 : 320) + Math.round(90 * Math.sin(index / 2)),
    }
  })
  const sum = (name: 'delivered' | 'failed' | 'dead'): number => buckets.reduce((total, bucket) => total + bucket[name], 0)
  return {
    at: at(0), windowMs: hour, attempts: sum('delivered') + sum('failed'), delivered: sum('delivered'), failed: sum('failed'), dead: sum('dead'), deadLetterRate: sum('dead') / sum('delivered'),
    alarm: 'none', latencyP50Ms: 86, latencyP95Ms: 640, queue: { fresh: 3, retries: 31, held: 312, dead: 15, atLeast: false, oldestDueAt: at(2 * second) },
    bucketMs: minute, buckets, failing: endpoints.slice(1, 3), workers: workersOf(at),
  }
}

function workersOf(at: (ago: number) => string): Worker[] {
  return [
    { id: 'wrk_3Hd8', pid: 4121, host: 'hooks-1', startedAt: at(52 * hour), seenAt: at(2 * second) },
    { id: 'wrk_9Kf2', pid: 977, host: 'hooks-2', startedAt: at(52 * hour), seenAt: at(3 * second) },
  ]
}

function jobsOf(at: (ago: number) => string, plant: Plant): Job[] {
  const by = { applicationId: null, actor: plant('ops@acme.example'), updatedAt: at(second) }
  return [
    { ...by, id: 'job_2Lm7', action: 'requeue', filter: { status: 'dead', endpoint: 'ep_5Kc3pLz9', reason: 'exhausted' }, state: 'running', matching: 12_480, done: 7_310, ratePerSecond: 412.4, etaSeconds: 13, reason: plant('Ledger is back'), createdAt: at(18 * second) },
    { ...by, id: 'job_1Ab4', action: 'replay', filter: { endpoint: 'ep_6Tg4rCn2', since: at(30 * hour) }, state: 'done', matching: 88, done: 88, ratePerSecond: null, etaSeconds: null, reason: null, createdAt: at(30 * hour) },
    { ...by, id: 'job_0Zz9', action: 'cancel', filter: { ids: ['a', 'b', 'c'] }, state: 'paused', matching: 3, done: 1, ratePerSecond: null, etaSeconds: null, reason: null, createdAt: at(40 * hour) },
  ]
}

function eventTypesOf(at: (ago: number) => string, plant: Plant): EventType[] {
  const schema = { type: 'object', required: ['invoice', 'total'], properties: { invoice: { type: 'integer', description: plant('Its number') }, total: { type: 'string', examples: [plant('149.00')] }, paidAt: { type: 'string', format: 'date-time' } } }
  const dates = { createdAt: at(50 * 24 * hour), updatedAt: at(2 * 24 * hour) }
  return [
    { ...dates, name: plant('invoice.paid'), description: plant('An invoice was paid in full.'), deprecated: false, archived: false, schemas: { '1': schema } },
    { ...dates, name: plant('customer.updated'), description: plant('Name, address or tax number of a customer has changed.'), deprecated: false, archived: false, schemas: null },
    { ...dates, name: plant('invoice.settled'), description: plant('The older name of invoice.paid.'), deprecated: true, archived: true, schemas: null },
  ]
}

function minutes(...delays: number[]): number[] {
  return delays.map((delay) => delay * minute)
}

function configOf(plant: Plant): Config {
  return {
    version: '0.1.0', database: 'sqlite',
    policies: [
      { name: plant('standard'), delaysMs: minutes(1, 2, 4, 8, 16), jitter: 0.2, maxAttempts: 6 },
      { name: plant('patient'), delaysMs: minutes(1, 5, 30, 120, 300, 600, 840, 1200, 1440), jitter: 0.2, maxAttempts: 10 },
      { name: plant('gateway'), delaysMs: minutes(0.5, 2, 10, 60, 360), jitter: 0, maxAttempts: 5 },
    ],
    settings: [
      { name: 'timeoutMs', env: 'WEBHOOK_TIMEOUT_SECONDS', value: 30, origin: 'default', unit: 's', sentence: plant('From the first byte of the look-up to the end of the answer.') },
      { name: 'maxRetries', env: 'MAX_RETRY_ATTEMPTS', value: 5, origin: 'environment', unit: 'retries', sentence: plant('Retries after the first send.') },
      { name: 'pool', env: 'HTTP_POOL_SIZE', value: 20, origin: 'default', unit: 'requests', sentence: plant('Open requests to one endpoint at once.') },
      { name: 'secretsKey', env: 'POSTHORN_SECRETS_KEY', value: null, origin: 'default', unit: '', sentence: plant('Encrypts the secrets of endpoints.') },
    ],
  }
}
