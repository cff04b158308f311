import { Posthorn } from 'posthorn'
import type { Endpoint, EndpointInput, OutgoingRequest } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { manualClock, scriptedTransport, seededRandom } from 'posthorn/testing'
import type { ManualClock, ScriptedTransport } from 'posthorn/testing'

/** What an hour at a shop has left in a database. */
export interface Shop {
  readonly posthorn: Posthorn
  readonly ledger: Endpoint
  readonly crm: Endpoint
  /** Ids of a delivery that is being retried, one that arrived, and one that is dead. */
  readonly failed: string
  readonly delivered: string
  readonly dead: string
}

type Plant = (text: string) => string

const second = 1_000
const minute = 60 * second
const lengthMinutes = 60
const outageAt = 46

/**
 * An hour at a busy shop, delivered by the real engine into a real file, with a clock that is moved by hand and no network:
 * most of it works, one endpoint is down, one refuses some. `plant` may spoil every text that people write.
 */
export async function keepShop(file: string, plant: Plant = (text) => text): Promise<Shop> {
  const clock = manualClock(Date.now() - lengthMinutes * minute)
  const transport = scriptedTransport(clock)
  const posthorn = new Posthorn({ store: sqlite(file), clock, transport, random: seededRandom(1), pollMs: 15 * second })
  await posthorn.start()
  const endpoints = await open(posthorn, plant)
  setAnswers(transport, endpoints, clock, plant)
  await declare(posthorn, plant)
  await posthorn.endpoints.pause(endpoints.staging.id, { by: plant('mara'), reason: plant('Migration until Thursday') })
  for (let passed = 0; passed < lengthMinutes; passed += 1) {
    await trade(posthorn, passed, plant)
    await clock.advance(minute)
  }
  await care(posthorn, endpoints, plant)
  await posthorn.send({ application: 'northwind', type: 'ledger.closed', data: { day: plant('Monday') } })
  await clock.advance(2 * second)
  const newest = async (status: 'failed' | 'delivered' | 'dead', endpointId: string): Promise<string> => {
    const found = await posthorn.deliveries.list({
      status,
      endpointId,
      ...(status === 'dead' && { reason: 'exhausted' as const }),
    })
    const most = found.toSorted((one, other) => other.attemptCount - one.attemptCount)[0]
    if (most === undefined) throw new Error(`Expected the shop to have a delivery that is ${status}.`)
    return most.id
  }
  return {
    posthorn,
    ledger: endpoints.ledger,
    crm: endpoints.crm,
    failed: await newest('failed', endpoints.crm.id),
    delivered: await newest('delivered', endpoints.invoices.id),
    dead: await newest('dead', endpoints.crm.id),
  }
}

async function open(posthorn: Posthorn, plant: Plant) {
  await posthorn.applications.create({ uid: 'acme', name: plant('Acme Shop') })
  await posthorn.applications.create({ uid: 'northwind', name: plant('Northwind Bank') })
  const make = (application: string, url: string, more: Partial<EndpointInput> = {}): Promise<Endpoint> =>
    posthorn.endpoints.create({ application, url, description: plant(''), ...more })
  return {
    invoices: await make('acme', 'https://hooks.acme.example/v1/invoices', {
      types: ['invoice.*'],
      description: plant('Invoices to the books'),
    }),
    crm: await make('acme', 'https://crm.acme.example/in/customers?source=posthorn', {
      types: ['customer.updated'],
      headers: { 'X-Tenant': plant('acme') },
    }),
    reports: await make('acme', 'https://reports.acme.example/ingest', { types: ['report.ready'] }),
    staging: await make('acme', 'https://staging.acme.example/hooks', { types: ['invoice.paid'] }),
    ledger: await make('northwind', 'https://gateway.northwind.example/webhooks/ledger', {
      types: ['ledger.*'],
      ratePerSecond: 50,
      metadata: { team: plant('ledger') },
    }),
    audit: await make('northwind', 'https://audit.northwind.example/events', {
      types: ['ledger.*', 'invoice.settled'],
    }),
    old: await make('northwind', 'https://old.northwind.example/notify', { types: ['invoice.settled'] }),
  }
}

function setAnswers(
  transport: ScriptedTransport,
  endpoints: Awaited<ReturnType<typeof open>>,
  clock: ManualClock,
  plant: Plant,
): void {
  const { invoices, crm, reports, ledger, audit, old } = endpoints
  const startedAt = clock.now()
  const passedMinutes = (): number => (clock.now() - startedAt) / minute
  const refusal = (statusCode: number, responseBody: string) =>
    ({ kind: 'answered', statusCode, responseBody: plant(responseBody), retryAfterMs: null }) as const
  const seen = (request: OutgoingRequest, firstByteMs: number | null, totalMs: number): void =>
    request.observe?.({
      timing: { dnsMs: 4, connectMs: 23, tlsMs: 41, firstByteMs, totalMs, reused: false },
      address: '203.0.113.24',
      headers:
        firstByteMs === null
          ? null
          : { server: plant('nginx'), 'content-type': 'application/json', 'x-request-id': plant('0f9c-44b1') },
    })
  transport.answer(invoices.url, 200, { delayMs: 84 })
  transport.answer(audit.url, 200, { delayMs: 140 })
  transport.answer(
    crm.url,
    (request) => {
      if (!Buffer.from(request.body).includes('"number":3')) return 200
      seen(request, 139, 210)
      return refusal(422, '{"error":"unknown customer","field":"customer.number"}')
    },
    { delayMs: 210 },
  )
  transport.answer(
    ledger.url,
    () =>
      passedMinutes() < outageAt ? 200 : refusal(503, 'upstream connect error or disconnect/reset before headers'),
    { delayMs: 320 },
  )
  transport.answer(
    reports.url,
    (request) => {
      if (passedMinutes() < lengthMinutes - 5) return 200
      seen(request, null, 900)
      return { kind: 'timeout', reason: plant('No answer within 900 ms') }
    },
    { delayMs: 900 },
  )
  transport.answer(old.url, 410)
}

async function declare(posthorn: Posthorn, plant: Plant): Promise<void> {
  const schema = {
    type: 'object',
    required: ['invoice', 'total'],
    properties: {
      invoice: { type: 'integer', description: plant('Its number') },
      total: { type: 'string', examples: [plant('149.00')] },
    },
  }
  await posthorn.eventTypes.create({
    name: 'invoice.paid',
    description: plant('An invoice was paid in full.'),
    schemas: { '1': { ...schema, required: ['invoice'] }, '2': schema },
  })
  await posthorn.eventTypes.create({
    name: 'customer.updated',
    description: plant('Name, address or tax number of a customer has changed.'),
  })
  await posthorn.eventTypes.create({
    name: 'invoice.settled',
    description: plant('The older name of invoice.paid.'),
    archived: true,
    deprecated: true,
  })
  await posthorn.keys.create({ name: plant('production') })
  await posthorn.keys.create({
    name: plant('status page'),
    application: 'acme',
    access: 'read',
    expiresAt: Date.now() + 20 * 24 * 60 * minute,
  })
}

/** A minute of trade: it comes in waves. */
async function trade(posthorn: Posthorn, passed: number, plant: Plant): Promise<void> {
  const many = Math.round(6 + 3 * Math.sin(passed / 6) + 2 * Math.sin(passed * 1.7))
  for (let index = 0; index < many; index += 1) {
    const data = {
      invoice: 1_042 + passed * 10 + index,
      customer: plant('Ada Lovelace'),
      total: '149.00',
      currency: 'EUR',
      lines: [{ sku: plant('A-17'), quantity: 2 }],
    }
    await posthorn.send({ application: 'acme', type: index % 4 === 0 ? 'invoice.voided' : 'invoice.paid', data })
  }
  if (passed % 2 === 0) await posthorn.send({ application: 'northwind', type: 'ledger.closed', data: { book: passed } })
  if (passed % 3 === 0)
    await posthorn.send({
      application: 'acme',
      type: 'customer.updated',
      data: { number: passed % 6 === 0 ? 3 : 12, name: plant('Grace Hopper') },
      sessionId: plant('checkout-7'),
    })
  if (passed % 3 === 1) await posthorn.send({ application: 'acme', type: 'report.ready', data: { report: passed } })
  if (passed === 30) await posthorn.send({ application: 'northwind', type: 'invoice.settled', data: { invoice: 7 } })
}

/** What people did in that hour. */
async function care(
  posthorn: Posthorn,
  { crm, ledger, staging, invoices }: Awaited<ReturnType<typeof open>>,
  plant: Plant,
): Promise<void> {
  await posthorn.endpoints.rotateSecret(ledger.id, {}, { by: plant('mara') })
  await posthorn.endpoints.revealSecret(ledger.id, { by: plant('mara') })
  const [oldest] = await posthorn.deliveries.list({ status: 'dead', endpointId: crm.id })
  if (oldest !== undefined)
    await posthorn.requeue(oldest.id, { by: plant('ada'), reason: plant('The customer exists now') })
  const [superseded] = await posthorn.deliveries.list({ status: 'pending', endpointId: staging.id })
  if (superseded !== undefined)
    await posthorn.cancel(superseded.id, { by: plant('ada'), reason: plant('Superseded by the nightly export') })
  await posthorn.jobs.create(
    { action: 'cancel', filter: { status: 'pending', endpointId: invoices.id } },
    { by: plant('ada'), reason: plant('Sent by mail') },
  )
}
