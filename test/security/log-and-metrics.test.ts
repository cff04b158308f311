import { onTestFinished } from 'vitest'
import { Counter } from 'prom-client'
import { createMetrics } from 'posthorn/metrics'
import { manualClock, testPosthorn } from 'posthorn/testing'
import { logEvents } from '../../src/cli/logs/events.ts'
import { makeLog } from '../../src/cli/logs/log.ts'
import { requestLog } from '../../src/cli/logs/requests.ts'
import { makeBus } from '../../src/engine/bus.ts'
import { withMetrics } from '../../src/server/http/metrics.ts'
import { byKey } from '../../src/server/request/authentication.ts'
import { serverWorld } from '../server/world.ts'
import { defence } from './defence.ts'

const planted = 'planted-secret'
const ids = { webhook_delivery_id: 'dlv_1', webhook_id: 'ep_1', message_id: 'msg_1', session_id: null }

defence('logs and metrics: what an endpoint answers, in a line of the log', async (isOn) => {
  const { bus, log, written } = logHere('json')
  // The allow-list is what a line has of an event; without it, a line has all of it.
  if (isOn) logEvents(bus, log)
  else bus.on('delivery.dead', (event) => log.write('warn', event.type, () => ({ error: event.error_detail })))
  const error_detail = `HTTP 500: {"token":"${planted}"}`
  bus.emit({
    type: 'delivery.dead',
    event_type: null,
    status_code: 500,
    took_ms: 5,
    ...ids,
    reason: 'exhausted',
    error_detail,
  })
  return written().includes(planted)
})

defence('logs and metrics: what a request says, in a line of the log', async (isOn) => {
  const { log, written } = logHere('json')
  const { answered } = requestLog(log)
  const request = { operation: 'v1.application.list', status: 200, tookMs: 1, url: `/api/v1/app?token=${planted}` }
  if (isOn) answered?.(request)
  else log.write('debug', 'api.request', () => request)
  return written().includes(planted)
})

defence('logs and metrics: a line that moves the cursor of whoever reads it', async (isOn) => {
  const { log, written } = logHere('text')
  const line = { msg: 'before \u001b[2J after\nforged line' }
  if (isOn) log.write('warn', 'lease.lost', () => line)
  const shown = isOn ? written() : `lease.lost ${line.msg}\n`
  return shown.includes('\u001b') || shown.trimEnd().includes('\n')
})

defence('logs and metrics: names that a customer chooses, in a label', async (isOn) => {
  const { registry, meter } = createMetrics({ endpointLabels: 10 })
  const { posthorn, settled } = await testPosthorn({ meter })
  onTestFinished(() => posthorn.stop())
  // Without an allow-list of labels, a counter has whatever an event has.
  const counter = new Counter({ name: 'sent', help: 'Sent.', labelNames: ['event_type'], registers: [registry] })
  if (!isOn) posthorn.on('message.enqueued', ({ event_type }) => counter.inc({ event_type }))
  await posthorn.endpoints.create({
    application: planted,
    uid: planted,
    url: `https://acme.example/${planted}?token=${planted}`,
    description: planted,
    headers: { 'x-token': planted },
  })
  await posthorn.send({ application: planted, type: planted, data: { planted }, channels: [planted] })
  await settled()
  return (await registry.metrics()).includes(planted)
})

for (const who of ['nobody', 'a key of one application'] as const) {
  defence(`logs and metrics: the numbers of all applications, for ${who}`, async (isOn) => {
    const world = await serverWorld()
    await world.posthorn.applications.create({ uid: 'acme' })
    const headers = new Headers()
    if (who !== 'nobody') headers.set('authorization', `Bearer ${await world.token({ application: 'acme' })}`)
    const { registry } = createMetrics()
    const authorize = isOn ? byKey(world.posthorn, null).authorize : null
    const answer = withMetrics(world.answer, { registry, authorize })
    return (await answer(new Request('http://posthorn.test/metrics', { headers }))).status === 200
  })
}

function logHere(format: 'json' | 'text') {
  const clock = manualClock()
  const lines: string[] = []
  const log = makeLog({ level: 'debug', format, clock, write: (line) => lines.push(line) })
  onTestFinished(() => log.close())
  return { bus: makeBus(clock), log, written: () => lines.join('') }
}
