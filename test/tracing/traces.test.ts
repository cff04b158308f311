import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { Posthorn } from 'posthorn'
import type { PosthornOptions } from 'posthorn'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTelemetryTracer } from '../../src/tracing/open-telemetry.ts'
import { databases } from '../acceptance/databases.ts'
import { makeWorld } from '../acceptance/world.ts'
import { serverWorld } from '../server/world.ts'
import { recordSpans } from './spans.ts'

const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }
const remote = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe.each(databases)('$name', (database) => {
  test('a send is a span, and each attempt another that is linked to it, also after a failure and a restart', async () => {
    const spans = recordSpans()
    const world = await makeWorld(database)
    world.receiver.behave('/hook', [500, 200])
    await world.start()
    const { id } = await spans.within(() => world.posthorn.send(paid))
    await world.posthorn.idle()
    await world.posthorn.stop()
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'failed', attempt_count: 1 })

    const options: PosthornOptions = {
      store: world.database.store(),
      clock: world.clock,
      allowedTargets: ['127.0.0.0/8'],
    }
    const after = new Posthorn(options)
    onTestFinished(() => after.stop({ graceMs: 0 }))
    await world.clock.leap(120_000)
    await after.start()
    await after.idle()
    expect(await world.row(String(row?.['id']))).toMatchObject({ status: 'delivered' })

    const [caller] = spans.named('the caller')
    const [send, ...otherSends] = spans.named('send invoice.paid')
    expect(otherSends).toEqual([])
    expect(send?.kind).toBe(SpanKind.PRODUCER)
    expect(send?.parentSpanContext?.spanId).toBe(caller?.spanContext().spanId)
    expect(send?.status.code).toBe(SpanStatusCode.UNSET)
    expect(send?.attributes).toMatchObject({
      'messaging.system': 'posthorn',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'invoice.paid',
      'messaging.message.id': id,
      'posthorn.application': 'acme',
    })

    const attempts = spans.named('POST')
    expect(attempts).toHaveLength(2)
    for (const attempt of attempts) {
      expect(attempt.kind).toBe(SpanKind.CLIENT)
      expect(attempt.parentSpanContext).toBeUndefined()
      expect(attempt.links.map((link) => [link.context.traceId, link.context.spanId])).toEqual([idsOf(send)])
      expect(attempt.attributes).toMatchObject({
        'http.request.method': 'POST',
        'url.full': world.receiver.url('/hook'),
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(world.receiver.url()).port),
        'posthorn.delivery.id': row?.['id'],
        'posthorn.endpoint.id': world.endpoint.id,
        'posthorn.message.id': id,
      })
    }
    expect(attempts.map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR, SpanStatusCode.UNSET])
    expect(
      attempts.map(({ attributes }) => [attributes['http.response.status_code'], attributes['error.type']]),
    ).toEqual([
      [500, '500'],
      [200, undefined],
    ])
    expect(attempts.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1])
  })

  test('without an SDK nothing is stored or sent of any trace', async () => {
    const world = await makeWorld(database, { sendTraceparent: true })
    await world.start()
    await world.posthorn.send(paid, { traceparent: remote })
    await world.posthorn.idle()
    const [receipt] = await world.receiver.waitFor(1)
    expect(receipt?.headers['traceparent']).toBeUndefined()
    expect(await world.query('select trace_context from posthorn_messages')).toEqual([{ trace_context: null }])
    const tracer = openTelemetryTracer('1')
    expect(tracer.send({ application: 'acme', message: aMessage, parent: null })).toBeNull()
    expect(tracer.attempt({ delivery: aDelivery, url: 'https://acme.example', traceContext: remote })).toBeNull()
  })
})

test('what is not answered has its kind as the type of its error, and a URL shows neither values nor names', async () => {
  const spans = recordSpans()
  const tracer = openTelemetryTracer('1')
  const url = 'https://user:hidden@acme.example/hook?token=hidden&token=hidden&b=hidden'
  tracer.attempt({ delivery: aDelivery, url, traceContext: 'nonsense' })?.end({ kind: 'timeout', reason: 'hidden' })
  const [attempt] = spans.named('POST')
  expect(attempt?.links).toEqual([])
  expect(attempt?.status.code).toBe(SpanStatusCode.ERROR)
  expect(attempt?.attributes).toMatchObject({
    'error.type': 'timeout',
    'url.full': 'https://acme.example/hook?token=REDACTED&b=REDACTED',
    'server.address': 'acme.example',
    'server.port': 443,
  })
  expect(JSON.stringify(attempt?.attributes)).not.toContain('hidden')
})

test('a send that is refused ends its span with the code of the error', async () => {
  const spans = recordSpans()
  const { posthorn } = await serverWorld()
  await expect(posthorn.send({ ...paid, application: 'nobody' }, { mustExist: true })).rejects.toThrow(/application/)
  const [send] = spans.named('send invoice.paid')
  expect(send?.status.code).toBe(SpanStatusCode.ERROR)
  expect(send?.attributes['error.type']).toBe('not_found')
})

test('the traceparent of a request to the API is the parent of the send, and one that is malformed is ignored', async () => {
  const spans = recordSpans()
  const { posthorn, call } = await serverWorld()
  await posthorn.applications.create({ uid: 'acme', name: 'Acme' })
  const body = { eventType: 'invoice.paid', payload: {} }
  for (const headers of [{ traceparent: remote, tracestate: 'vendor=1' }, { traceparent: 'nonsense' }])
    expect(await call('POST', '/api/v1/app/acme/msg', { body, headers })).toMatchObject({ status: 202 })
  const [joined, alone] = spans.named('send invoice.paid')
  expect(joined?.parentSpanContext).toMatchObject({ traceId: remote.slice(3, 35), spanId: remote.slice(36, 52) })
  expect(joined?.spanContext().traceId).toBe(remote.slice(3, 35))
  expect(alone?.parentSpanContext).toBeUndefined()
  const { items } = await posthorn.messages.list({ applicationId: (await posthorn.applications.get('acme')).id })
  expect(new Set(items.map(({ traceContext }) => traceContext))).toEqual(
    new Set([`${contextOf(joined)} vendor=1`, contextOf(alone)]),
  )
})

test('endpoints get the traceparent of their attempt on request, unless they have a header of that name', async () => {
  const spans = recordSpans()
  const { posthorn, transport } = await serverWorld({}, 'sqlite', { sendTraceparent: true })
  await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/ours' })
  const headers = { TraceParent: 'their own' }
  await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/theirs', headers })
  await posthorn.start()
  await posthorn.send(paid)
  await posthorn.idle()
  const sentTo = (path: string) => transport.requests.find(({ url }) => url.endsWith(path))?.headers
  const ours = spans.named('POST').find(({ attributes }) => attributes['url.full'] === 'https://acme.example/ours')
  expect(sentTo('/ours')).toMatchObject({ traceparent: contextOf(ours) })
  expect(sentTo('/theirs')).toMatchObject(headers)
  expect(sentTo('/theirs')).not.toHaveProperty('traceparent')
})

const aMessage = { id: 'msg_1', type: 'invoice.paid', body: new Uint8Array() }
const aDelivery = { id: 'dlv_1', endpointId: 'ep_1', messageId: 'msg_1', attemptCount: 0 }

function idsOf(span: ReadableSpan | undefined): [string, string] {
  const { traceId = '', spanId = '' } = span?.spanContext() ?? {}
  return [traceId, spanId]
}

function contextOf(span: ReadableSpan | undefined): string {
  return `00-${idsOf(span).join('-')}-01`
}
