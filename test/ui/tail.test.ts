import { beforeAll, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { picks } from '../../src/ui/operator/tail/tail-filter.ts'
import { rowOf } from '../../src/ui/operator/tail/tail-row.ts'
import { TailRows } from '../../src/ui/operator/tail/tail-rows.ts'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  for (const uid of ['acme', 'northwind']) {
    await server.call('POST', 'app', { name: uid === 'acme' ? 'Acme Shop' : 'Northwind Bank', uid })
    await server.call('POST', `app/${uid}/endpoint`, { url: local.url(`/${uid}`), filterTypes: ['invoice.paid'] })
  }
  local.behave('/northwind', { status: 503, body: 'closed' })
  return () => local.close()
}, 60_000)

function send(application: string, eventType = 'invoice.paid'): Promise<unknown> {
  return server.call('POST', `app/${application}/msg`, { eventType, payload: {} })
}

test('says that nothing happens only once it knows', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'deliveries' })
  const events = new EventTarget()
  const answered = new Promise<void>((resolve) => events.addEventListener('answer', () => resolve(), { once: true }))
  await page.route(/api\/v1\/delivery\?/, async (route) => {
    await answered
    await route.fulfill({ json: { data: [], done: true, iterator: null, prevIterator: null } })
  })
  await page.goto(`${server.url}tail`)
  await page.locator('[aria-busy=true]').waitFor()
  await page.getByText('listening').waitFor()
  expect(await page.getByText('Waiting for something to happen').count()).toBe(0)
  events.dispatchEvent(new Event('answer'))
  await page.getByText('Waiting for something to happen').waitFor()
  expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  await close()
})

test('begins with the last fifty, says what each event is about, and is narrowed by every column', limit, async () => {
  for (let sent = 0; sent < 55; sent += 1) await send('acme')
  await local.waitFor(55, '/acme')
  const { page, complaints, close } = await stage.open(server, { path: 'tail' })
  const rows = page.locator('tbody tr')
  await rows.nth(49).waitFor()
  expect(await rows.count()).toBe(50)
  await page.getByText('listening').waitFor()
  await send('northwind')
  const dead = rows.filter({ has: page.getByText('dead', { exact: true }) })
  await dead.waitFor()
  // Time, event, type with why, customer, endpoint, code, latency.
  const cells = await dead.locator('td').allInnerTexts()
  expect(cells[0]).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(cells[2]).toMatch(/^invoice\.paid\s+exhausted: HTTP 503: closed/)
  expect(cells.slice(3, 6)).toEqual(['Northwind Bank', local.url('/northwind').replace('http://', ''), '503'])
  expect(cells[6]).toMatch(/^\d+ ms$/)

  for (const [label, text] of [
    ['Customer', 'north'],
    ['Endpoint', '/northwind'],
    ['Code', '50'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(text)
    await rows.nth(10).waitFor({ state: 'detached' })
    await dead.waitFor()
    await page.getByLabel(label, { exact: true }).fill('')
    await rows.nth(10).waitFor()
  }
  await page.getByRole('combobox', { name: 'Event' }).selectOption('dead')
  await rows.nth(10).waitFor({ state: 'detached' })
  await dead.getByRole('link', { name: 'invoice.paid' }).click()
  await page.getByRole('heading', { name: 'invoice.paid', level: 1 }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

test('lets what failed stand out, and what went well recede', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'tail' })
  await page.getByText('listening').waitFor()
  for (const application of ['acme', 'northwind']) await send(application)
  for (const word of ['queued', 'delivered', 'dead']) await page.locator('.state', { hasText: word }).first().waitFor()
  const token = (name: string): Promise<string> => page.evaluate<string>(tokenScript(name))
  const muted = await token('muted')
  const delivered = await page.evaluate(looksScript('delivered'))
  expect(delivered).toMatchObject({ when: { color: muted }, customer: { color: muted }, number: { color: muted } })
  expect(delivered).toMatchObject({ state: { color: muted, weight: '400' }, code: { color: muted, weight: '400' } })
  expect(await page.evaluate(looksScript('queued'))).toMatchObject({ state: { color: muted, weight: '400' } })
  expect(await page.evaluate(looksScript('dead'))).toMatchObject({
    state: { color: await token('bad'), weight: '550' },
    customer: { color: await token('ink') },
    code: { color: await token('warning'), weight: '600' },
  })
  await close()
})

test('calls what a person cancelled so, and lets it recede, before it began and since', limit, async () => {
  await server.call('POST', 'app', { name: 'Umbrella', uid: 'umbrella' })
  const { id } = await server.call<{ id: string }>('POST', 'app/umbrella/endpoint', { url: local.url('/umbrella') })
  await server.call('POST', `app/umbrella/endpoint/${id}/pause`)
  for (let sent = 0; sent < 2; sent += 1) await send('umbrella')
  const { data } = await server.call<{ data: { id: string }[] }>('GET', `delivery?endpoint=${id}`)
  const [before = '', since = ''] = data.map((delivery) => delivery.id)
  await server.call('POST', `delivery/${before}/cancel`)
  const { page, close } = await stage.open(server, { path: 'tail?customer=umbrella' })
  const cancelled = page.locator('tbody tr.quiet', { has: page.getByText('cancelled', { exact: true }) })
  await cancelled.waitFor()
  await page.getByText('listening').waitFor()
  await server.call('POST', `delivery/${since}/cancel`)
  await cancelled.nth(1).waitFor()
  expect(await page.locator('tbody').getByText('dead', { exact: true }).count()).toBe(0)
  await close()
})

/** The colour and weight of each part of the newest row with that word. */
function looksScript(word: string): string {
  return `(() => {
    const states = [...document.querySelectorAll('tbody .state')]
    const row = states.find((state) => state.textContent.trim() === '${word}').closest('tr')
    return Object.fromEntries(['state', 'when', 'customer', 'code', 'number'].map((part) => {
      const { color, fontWeight } = getComputedStyle(row.querySelector('.' + part))
      return [part, { color, weight: fontWeight }]
    }))
  })()`
}

/** What a colour among the tokens comes to in the theme that is on. */
function tokenScript(name: string): string {
  return `(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--${name})'
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  })()`
}

test('holds still while it is paused, and goes on with what came', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'tail?event_type=order.created' })
  await page.getByText('listening').waitFor()
  const queued = page.locator('tbody tr', { hasText: 'order.created' })
  await send('acme', 'order.created')
  await queued.waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await send('acme', 'order.created')
  await page.getByRole('button', { name: 'Go on (1 new)' }).waitFor()
  expect(await queued.count()).toBe(1)
  await page.getByRole('button', { name: 'Go on' }).click()
  await queued.nth(1).waitFor()
  await close()
})

test('keeps two hundred however many come, and says how many were skipped', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'tail?type=message.enqueued&event_type=rush' })
  await page.getByText('listening').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  for (let sent = 0; sent < 500; sent += 100)
    await Promise.all(Array.from({ length: 100 }, () => send('acme', 'rush.hour')))
  await page.getByText('300 events skipped').waitFor()
  await page.getByRole('button', { name: 'Go on (500 new)' }).click()
  await page.locator('tbody tr').nth(199).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(200)
  await close()
})

test('on a phone the time stays, and the rest stands under the type', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'tail', viewport: { width: 390, height: 844 } })
  const first = page.locator('tbody tr').first()
  await first.waitFor()
  expect(await first.locator('time').isVisible()).toBe(true)
  expect(await first.locator('.main .state').isVisible()).toBe(true)
  expect(await first.locator('.main').innerText()).toMatch(/Northwind Bank|Acme Shop|Umbrella/)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  await close()
})

const event = {
  topic: 'gateway:webhooks',
  at: Date.UTC(2026, 0, 1),
  type: 'delivery.failed',
  webhook_delivery_id: 'dlv_1',
  webhook_id: 'ep_1',
  message_id: 'msg_1',
  session_id: null,
  event_type: 'invoice.paid',
  attempt_count: 2,
  status_code: null,
  took_ms: 900,
  outcome: 'timeout',
  error_detail: 'no answer\nat all',
  next_retry_at: 0,
  applicationName: 'Acme Shop',
  endpointUrl: 'https://acme.example/hooks',
} as const
const anything = { type: '', eventType: '', customer: '', endpoint: '', code: '', slowerThan: '' }

test.each([
  ['nothing asked', {}, true],
  ['a part of the type', { eventType: 'PAID' }, true],
  ['another type', { eventType: 'order' }, false],
  ['a part of the customer', { customer: 'shop' }, true],
  ['another customer', { customer: 'northwind' }, false],
  ['a part of the endpoint', { endpoint: 'acme.example' }, true],
  ['why there is no code', { code: 'time' }, true],
  ['a code that it does not have', { code: '5' }, false],
  ['slower than that', { slowerThan: '900' }, true],
  ['not as slow as that', { slowerThan: '901' }, false],
])('a filter of %s', (_, filter, expected) => {
  expect(picks({ ...anything, ...filter }, rowOf(event, 1))).toBe(expected)
})

test('an hour of five hundred events a second leaves as much in memory as the first second', () => {
  const rows = new TailRows()
  const kept: number[] = []
  for (let second = 0; second < 3_600; second += 60) {
    for (let index = 0; index < 500; index += 1)
      rows.add(
        (key) => rowOf(event, key),
        () => true,
      )
    kept.push(rows.view()?.rows.length ?? 0)
  }
  expect(new Set(kept)).toEqual(new Set([200]))
})
