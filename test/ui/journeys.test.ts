import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useStage } from './stage.ts'
import { busyWorld, emptyWorld } from './world.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
const dead = busyWorld().deliveries.find(({ reason }) => reason === 'exhausted')!
const requeued = (id: string): string => `POST /api/v1/delivery/${id}/requeue`

function addressOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

describe('an operator', () => {
  test('reads in words what is wrong, before any chart', limit, async () => {
    const { page, close } = await stage.open()
    const sentence = '2 endpoints are failing; 31 deliveries wait for a retry; 312 are held; 15 dead letters wait for your decision; nothing is lost.'
    await page.getByText(sentence).waitFor()
    expect(await page.locator('.sentence, figure').first().textContent()).toBe(sentence)
    await close()
  })

  test('retries a dead letter with one click, and sees it pending', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: `deliveries/${dead.id}` })
    await page.getByText('Dead after 6 failed attempts.').waitFor()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Due, and leaves as soon as a worker has room.').waitFor()
    expect(server.requests.map(({ what }) => what)).toContain(requeued(dead.id))
    await close()
  })

  test('copies a delivery as curl, or sees it where the browser does not allow copying', limit, async () => {
    const { page, close } = await stage.open(busyWorld(), { path: `deliveries/${dead.id}` })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied a curl command with a fresh signature.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`curl -X POST ${dead.targetUrl}`)
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('dialog').getByText(`curl -X POST ${dead.targetUrl}`).waitFor()
    await close()
  })

  test('cancels only after a question, and the reason is sent along', limit, async () => {
    const world = busyWorld()
    const failed = world.deliveries.find(({ status }) => status === 'failed')!
    const { page, server, close } = await stage.open(world, { path: `deliveries/${failed.id}` })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Go back' }).click()
    expect(server.requests.filter(({ what }) => what.endsWith('/cancel'))).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Reason').fill('Sent by mail')
    await page.getByRole('button', { name: 'Cancel the delivery' }).click()
    await page.getByText('Cancelled by a person.').waitFor()
    expect(server.requests.find(({ what }) => what.endsWith('/cancel'))?.body).toEqual({ reason: 'Sent by mail' })
    await close()
  })

  test('retries the selected groups of dead letters after seeing the exact count', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'dead-letters' })
    await page.getByLabel('Select 12 dead letters').check()
    await page.getByRole('button', { name: 'Retry 12 now' }).click()
    await page.getByRole('dialog', { name: 'Retry 12 deliveries now?' }).getByRole('button', { name: 'Retry 12 now' }).click()
    await page.getByRole('heading', { name: 'Retry now: 12 deliveries' }).waitFor()
    const asked = server.requests.filter(({ what }) => what === 'POST /api/v1/job').map(({ body }) => body)
    const filter = { status: 'dead', endpoint: 'ep_5Kc3pLz9', reason: 'exhausted' }
    expect(asked).toEqual([{ action: 'requeue', filter, dryRun: true }, { action: 'requeue', filter }])
    await page.getByText('All done: 12 of 12.').waitFor()
    await close()
  })

  test('retries all deliveries that match a filter, and cancels only those that are still open', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'deliveries?status=failed&status=dead&endpoint=ep_5Kc3pLz9' })
    await page.getByRole('button', { name: 'Cancel all matching' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel all matching …')
    await page.getByRole('button', { name: 'Retry all matching' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Ledger is back')
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 12 now' }).click()
    await page.waitForURL('**/jobs/job_new*')
    const endpoint = 'ep_5Kc3pLz9'
    expect(server.requests.filter(({ what }) => what === 'POST /api/v1/job').map(({ body }) => body)).toEqual([
      { action: 'cancel', filter: { status: ['failed'], endpoint }, dryRun: true },
      { action: 'requeue', filter: { status: ['failed', 'dead'], endpoint }, dryRun: true },
      { action: 'requeue', filter: { status: ['failed', 'dead'], endpoint }, reason: 'Ledger is back' },
    ])
    await close()
  })

  test('pauses a job and resumes it', limit, async () => {
    const { page, close } = await stage.open(busyWorld(), { path: 'jobs/job_2Lm7' })
    await page.getByText('7,310 of 12,480 done at 412 per second; about 13 s left.').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('it waits until somebody resumes it').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await close()
  })

  test('adds an endpoint on an empty server', limit, async () => {
    const { page, server, close } = await stage.open({ ...emptyWorld(), endpoints: busyWorld().endpoints.slice(0, 1) }, { path: 'endpoints' })
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByLabel('Application').last().fill('acme')
    await page.getByLabel('URL', { exact: true }).fill('https://new.example/hooks')
    await page.getByLabel('Event types').fill('invoice.paid, invoice.voided')
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.getByRole('heading', { name: 'new.example/hooks' }).waitFor()
    expect(server.requests.find(({ what }) => what === 'POST /api/v1/app/acme/endpoint')?.body).toMatchObject({ eventTypes: ['invoice.paid', 'invoice.voided'] })
    await close()
  })

  test('changes one header of an endpoint and leaves those alone that are not shown', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'endpoints/ep_5Kc3pLz9' })
    await page.getByLabel('Headers').fill('X-Region: eu')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. The next attempt uses it.').waitFor()
    expect(server.requests.findLast(({ what }) => what.startsWith('PATCH'))).toEqual({
      what: 'PATCH /api/v1/app/app_7Rt1/endpoint/ep_5Kc3pLz9/headers', body: { headers: { 'X-Tenant': null, 'X-Region': 'eu' } },
    })
    await page.getByLabel('Filter').fill('{"path":')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The filter must be a JSON object').waitFor()
    await close()
  })

  test('reveals a secret, makes a link to the portal, and pauses an endpoint with a reason', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'endpoints/ep_5Kc3pLz9' })
    await page.getByRole('button', { name: 'Reveal' }).click()
    await page.getByText('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').waitFor()
    await page.getByRole('button', { name: 'Make a link' }).click()
    await page.getByText('/login#key=ph_portal').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('Maintenance')
    await page.getByRole('button', { name: 'Pause it' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect(server.requests.find(({ what }) => what.endsWith('/pause'))?.body).toEqual({ reason: 'Maintenance' })
    await close()
  })

  test('sees events as they happen, holds them still, and goes on', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'tail' })
    await page.getByText('listening').waitFor()
    const event = { at: 1_900_000_000_000, message_id: 'msg_1', application_id: 'app_1', deliveries: 2 }
    server.tell('message.enqueued', { ...event, event_type: 'invoice.paid' })
    await page.getByText('invoice.paid: 2 deliveries').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    server.tell('message.enqueued', { ...event, event_type: 'invoice.voided' })
    await page.getByRole('button', { name: 'Go on (1 new)' }).waitFor()
    expect(await page.getByText('invoice.voided: 2 deliveries').count()).toBe(0)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('invoice.voided: 2 deliveries').waitFor()
    await close()
  })

  test('is told how many events were skipped when more come than anybody reads', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'tail' })
    await page.getByText('listening').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    const event = { at: 1_900_000_000_000, message_id: 'msg_1', application_id: 'app_1', event_type: 'invoice.paid', deliveries: 1 }
    for (let sent = 0; sent < 1_000; sent += 1) server.tell('message.enqueued', event)
    await page.getByText('800 events skipped').waitFor()
    await page.getByRole('button', { name: 'Go on (1,000 new)' }).click()
    await page.locator('tbody tr').nth(199).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(200)
    await close()
  })
})

describe('the address', () => {
  test('keeps the filters of deliveries over a reload', limit, async () => {
    const { page, close } = await stage.open(busyWorld(), { path: 'deliveries' })
    await page.getByText('retrying', { exact: true }).first().click()
    await page.getByText('More filters').click()
    await page.getByLabel('Event type').fill('customer.updated')
    await page.waitForURL('**/deliveries?status=failed&event_type=customer.updated')
    await page.reload()
    await page.locator('tbody tr').first().waitFor()
    expect(await page.getByLabel('Event type').inputValue()).toBe('customer.updated')
    expect(await page.getByRole('checkbox', { name: 'retrying' }).isChecked()).toBe(true)
    expect(new Set(await page.locator('tbody .main a').allTextContents())).toEqual(new Set(['customer.updated']))
    await close()
  })

  test('works below another base path, links and assets included', limit, async () => {
    const { page, complaints, close } = await stage.open(busyWorld(), { basePath: '/tools/posthorn/', path: 'endpoints/ep_5Kc3pLz9' })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect(addressOf(page)).toBe('/tools/posthorn/')
    await page.getByRole('link', { name: 'gateway.northwind.example/webhooks/ledger' }).click()
    await page.waitForURL('**/tools/posthorn/endpoints/ep_5Kc3pLz9')
    await page.goBack()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})

describe('the keyboard', () => {
  test('loses no keystroke to a page that is drawn anew', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'endpoints' })
    await page.clock.install()
    await page.getByLabel('Text in the URL or description').pressSequentially('led')
    const asked = server.requests.length
    await page.getByRole('button', { name: 'Endpoint and why' }).click()
    expect(await page.getByLabel('Text in the URL or description').inputValue()).toBe('led')
    await page.clock.runFor(1_000)
    await expect.poll(() => server.requests.length).toBeGreaterThan(asked)
    expect(await page.getByLabel('Text in the URL or description').inputValue()).toBe('led')
    await close()
  })

  test('walks through rows, selects, opens and retries', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'deliveries?status=dead' })
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.locator('tbody tr').first().focus()
    await page.keyboard.press('r')
    await page.getByText('Due now, with its full schedule again.').waitFor()
    expect(server.requests.map(({ what }) => what)).toContain(requeued(dead.id))
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/deliveries/dlv_*')
    await close()
  })

  test('goes to pages, to the search and to the help', limit, async () => {
    const { page, close } = await stage.open()
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('ledger')
    await page.waitForURL('**/endpoints?text=ledger')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await close()
  })
})

describe('on a bad day', () => {
  test('an ended session leads to the door, and from there back to the same page', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'deliveries?status=dead' })
    server.world.session = null
    await page.getByLabel('API key').fill('ph_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This key is not known, or it has ended.').waitFor()
    await page.getByLabel('API key').fill('ph_right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(addressOf(page)).toBe('/deliveries?status=dead')
    await close()
  })

  test('a link to the portal signs in, leaves no key in the address, and hides what is for the whole server', limit, async () => {
    const { page, server, close } = await stage.open({ ...busyWorld(), session: null }, { path: 'login#key=ph_right' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(server.url)
    server.world.session = { caller: { name: 'Acme', applicationId: 'app_2Nq4', access: 'read' }, dev: false }
    await page.goto(`${server.url}settings`)
    await page.getByText('There is no such page').waitFor()
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    expect(await links.filter({ hasText: 'Deliveries' }).count()).toBe(1)
    expect(await links.filter({ hasText: /Settings|Audit/ }).count()).toBe(0)
    await page.goto(`${server.url}deliveries/${dead.id}`)
    await page.getByText('Dead after 6 failed attempts.').waitFor()
    expect(await page.getByRole('button', { name: 'Retry now' }).count()).toBe(0)
    await close()
  })

  test('a lost connection is said, keeps what is there, and ends by itself', limit, async () => {
    const { page, close } = await stage.open()
    await page.route('**/api/**', (route) => route.abort())
    await page.getByText('The connection to the server is lost.').waitFor()
    expect(await page.locator('.sentence').isVisible()).toBe(true)
    await page.unroute('**/api/**')
    await page.getByText('The connection to the server is lost.').waitFor({ state: 'detached' })
    await close()
  })

  test('an answer that is a refusal can be asked for again', limit, async () => {
    const { page, server, close } = await stage.open(busyWorld(), { path: 'deliveries/dlv_unknown' })
    await page.getByText('There is no such thing. It may have been pruned.').waitFor()
    const asked = server.requests.length
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => server.requests.length).toBeGreaterThan(asked)
    await close()
  })

  test('a payload of a megabyte and a response of junk leave the page usable', limit, async () => {
    const world = busyWorld()
    const junk = String.fromCodePoint(...Array.from({ length: 2_000 }, (_, code) => code * 13))
    world.deliveries = world.deliveries.map((delivery) => ({
      ...delivery,
      message: { ...delivery.message, payload: JSON.stringify({ text: 'x'.repeat(1_000_000) }), truncated: true },
      attempts: delivery.attempts.map((attempt) => ({ ...attempt, response: junk })),
    }))
    const { page, complaints, close } = await stage.open(world, { path: `deliveries/${dead.id}` })
    expect((await page.getByRole('region', { name: 'Payload' }).textContent())?.length).toBe(20_000)
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Due now, with its full schedule again.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})

describe('hostile text', () => {
  const hostile = `"><img src=x onerror="window.ranAway=1"><script>window.ranAway=1</script><svg onload="window.ranAway=1"></svg>{{1+1}}javascript:window.ranAway=1`

  test('in every field is shown and never run', { timeout: 120_000 }, async () => {
    const world = busyWorld((text) => `${text}${hostile}`)
    const { page, server, complaints, go, close } = await stage.open(world)
    const { id } = world.deliveries.find(({ status }) => status === 'failed')!
    for (const path of ['', 'deliveries', `deliveries/${id}`, 'dead-letters', 'endpoints', 'endpoints/ep_5Kc3pLz9', 'jobs', 'jobs/job_2Lm7', 'event-types', 'audit', 'settings']) {
      await go(path)
      expect(await page.getByText('onerror=').count(), path).toBeGreaterThan(0)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      expect(await page.evaluate('[window.ranAway, document.images.length, document.querySelectorAll("main script, [onload], [onerror]").length]'), path).toEqual([undefined, 0, 0])
    }
    await go('tail')
    await page.getByText('listening').waitFor()
    server.tell('message.enqueued', { at: 1, event_type: hostile, deliveries: 1 })
    server.tell('delivery.failed', { at: 1, webhook_delivery_id: hostile, attempt_count: 1, error_detail: hostile })
    await page.getByText('onerror=').last().waitFor()
    expect(await page.evaluate('[window.ranAway, document.images.length]')).toEqual([undefined, 0])
    expect(complaints).toEqual([])
    await close()
  })
})
