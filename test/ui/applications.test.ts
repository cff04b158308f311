import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { customerName, healthSentence, healthState } from '../../src/ui/operator/application/application-health.ts'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  return () => local.close()
}, 60_000)

async function customer(uid: string, name: string, paths: readonly string[]): Promise<string> {
  const { id } = await server.call<{ id: string }>('POST', 'app', { name, uid })
  for (const path of paths) await server.call('POST', `app/${uid}/endpoint`, { url: local.url(path) })
  return id
}

function send(uid: string): Promise<{ id: string }> {
  return server.call('POST', `app/${uid}/msg`, { eventType: 'invoice.paid', payload: { invoice: 7 } })
}

/** How many rows of an application each table has, read by a connection of our own. */
function rowsOf(applicationId: string): Record<string, number> {
  const database = new DatabaseSync(server.database, { readOnly: true })
  const count = (table: string): number =>
    Number(
      database.prepare(`select count(*) as count from ${table} where application_id = ?`).get(applicationId)?.['count'],
    )
  const found = {
    endpoints: count('posthorn_endpoints'),
    messages: count('posthorn_messages'),
    deliveries: count('webhook_deliveries'),
  }
  database.close()
  return found
}

describe('an operator', () => {
  test('finds a customer, and sees at a glance what is wrong with it', limit, async () => {
    local.behave('/broken', { status: 500, body: 'ledger closed for the day' })
    await customer('globex', 'Globex "Ltd"', ['/fine', '/broken'])
    await customer('initech', 'Initech', ['/fine'])
    await send('globex')
    await local.waitFor(1, '/broken')
    const { page, complaints, close } = await stage.open(server, { path: 'applications' })
    const row = page.locator('tbody tr', { hasText: 'globex' })
    await row.getByText('1 of 2 unhealthy').first().waitFor()
    expect(await row.locator('.number').allTextContents()).toEqual(['2', '1', '0'])
    await page.locator('tbody tr', { hasText: 'initech' }).getByText('healthy').first().waitFor()
    await page.getByPlaceholder('Name, uid or id').fill('globEX "')
    await expect.poll(() => page.locator('tbody .main a').allTextContents()).toEqual(['Globex "Ltd"'])
    await page.getByPlaceholder('Name, uid or id').fill('nobody')
    await page.getByText('No application matches').waitFor()
    await page.getByPlaceholder('Name, uid or id').fill('globex')

    await page.getByRole('link', { name: 'Globex "Ltd"' }).click()
    await page.getByRole('heading', { name: 'Globex "Ltd"', level: 1 }).waitFor()
    await page.getByText('Of 2 endpoints, 1 is degraded and 1 is healthy.').waitFor()
    await page.getByText('exhausted: HTTP 500: ledger closed for the day').waitFor()
    await page.getByRole('link', { name: 'All 2' }).waitFor()
    await page.getByText('1 of 2 dead').first().waitFor()
    await page.getByRole('link', { name: 'All messages' }).click()
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('gives a customer another name and a rate limit, and is told what is wrong with one', limit, async () => {
    const id = await customer('umbrella', 'Umbrella', [])
    const { page, close } = await stage.open(server, { path: `applications/${id}` })
    await page.getByText('It has no endpoints yet, so messages for it go nowhere.').waitFor()
    await page.getByText('0 of 1,000').waitFor()
    await page.getByLabel('Rate limit').fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('throttleRate').waitFor()
    await page.getByLabel('Rate limit').fill('25')
    await page.getByLabel('Name').fill('Umbrella & Co')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Umbrella & Co', level: 1 }).waitFor()
    expect(await server.call('GET', `app/${id}`)).toMatchObject({ name: 'Umbrella & Co', throttleRate: 25 })
    expect(await page.getByLabel('Rate limit').inputValue()).toBe('25')
    await page.getByLabel('Rate limit').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => server.call('GET', `app/${id}`)).toMatchObject({ throttleRate: null })
    await close()
  })

  test('gives a customer a link to the portal', limit, async () => {
    const id = await customer('hooli', 'Hooli', [])
    const { page, close } = await stage.open(server, { path: `applications/${id}` })
    await page.getByRole('button', { name: 'Create a link' }).click()
    const link = await page.getByRole('region', { name: 'The link to the portal' }).textContent()
    expect(link).toContain('#key=')
    await close()
  })

  test('erases a customer only after typing its name, and nothing of it is left', limit, async () => {
    const id = await customer('acme', 'Acme Shop', ['/acme', '/acme-two'])
    const other = await customer('kept', 'Kept', ['/kept'])
    await send('acme')
    await send('acme')
    await send('kept')
    await local.waitFor(2, '/acme')
    await local.waitFor(2, '/acme-two')
    const { page, complaints, close } = await stage.open(server, { path: `applications/${id}` })
    await page.getByRole('button', { name: 'Erase the application' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase Acme Shop?' })
    await dialog.getByText('2 endpoints, with their secrets, headers and figures').waitFor()
    await dialog.getByText('2 messages, with their payloads').waitFor()
    await dialog.getByText('4 deliveries, with every attempt and response').waitFor()
    const erase = dialog.getByRole('button', { name: 'Erase for good' })
    expect(await erase.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Acme Shop to confirm').fill('acme shop')
    expect(await erase.isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(rowsOf(id)).toEqual({ endpoints: 2, messages: 2, deliveries: 4 })

    await page.getByRole('button', { name: 'Erase the application' }).click()
    expect(await erase.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Acme Shop to confirm').fill('Acme Shop')
    await dialog.getByLabel('Reason').fill('They left us')
    await erase.click()
    await page.getByText('Finished: 2 of 2 messages erased.').waitFor()
    expect(rowsOf(id)).toEqual({ endpoints: 0, messages: 0, deliveries: 0 })
    expect(rowsOf(other)).toEqual({ endpoints: 1, messages: 1, deliveries: 1 })
    expect(await server.call('GET', `audit?application=${id}&action=application.delete`)).toMatchObject({
      data: [{ reason: 'They left us' }],
    })
    expect(complaints).toEqual([])

    await page.goto(`${server.url}applications/${id}`)
    await page.getByText('This could not be loaded').waitFor()
    await page.goto(`${server.url}applications?text=acme`)
    await page.getByText('No application matches').waitFor()
    await close()
  })

  test('who may only read sees limits, but can change nothing', limit, async () => {
    const id = await customer('readers', 'Readers', ['/fine'])
    const { token } = await server.call<{ token: string }>('POST', 'key', { name: 'reader', access: 'read' })
    const { page, close } = await stage.open(server, { path: `applications/${id}`, key: token })
    await page.getByText('Its only endpoint is healthy.').waitFor()
    await page.getByText('1 of 1,000').waitFor()
    for (const name of ['Save', 'Create a link', 'Erase the application …'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    expect(await page.getByRole('link', { name: 'Send a message' }).count()).toBe(0)
    await close()
  })
})

test('ten thousand applications are paged, and found by name, uid and id', { timeout: 120_000 }, async () => {
  const file = stage.file('applications.db')
  const posthorn = new Posthorn({ store: sqlite(file) })
  await posthorn.endpoints.create({ application: 'first', url: 'https://hooks.example/0' })
  await posthorn.stop()
  const database = new DatabaseSync(file)
  // Each with an endpoint that delivered something in every minute of the last day.
  database.exec(`with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 9999)
insert into posthorn_applications (id, uid, name)
select printf('app_%019d', n), 'customer-' || n, 'Customer number ' || n from counter`)
  database.exec(`insert into posthorn_endpoints (id, application_id, url)
select 'ep_' || substr(id, 5), id, 'https://hooks.example/' || uid from posthorn_applications where uid like 'customer-%'`)
  database
    .prepare(
      `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < 1439)
insert into posthorn_endpoint_minutes (minute, endpoint_id, delivered)
select ? - counter.n * 60000, printf('ep_%019d', e.place), 1
from counter, (select n + 9900 as place from counter where n < 100) e`,
    )
    .run(Math.floor(Date.now() / 60_000) * 60_000)
  database.close()
  const many = await stage.serve({ database: file, delivers: false })
  const { page, complaints, close } = await stage.open(many)
  const answers: { bytes: number; tookMs: number }[] = []
  page.on('requestfinished', (request) => {
    if (!/api\/v1\/application\?/.test(request.url())) return
    void request
      .sizes()
      .then(({ responseBodySize }) =>
        answers.push({ bytes: responseBodySize, tookMs: Math.round(request.timing().responseEnd) }),
      )
  })
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Applications' }).click()
  await page.getByRole('link', { name: 'Customer number 9999', exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page
    .locator('tbody tr', { hasText: 'Customer number 9999' })
    .getByText(/^1,[34]\d\d$/)
    .waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'Customer number 9940', exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(50)
  const search = page.getByPlaceholder('Name, uid or id')
  for (const [text, name] of [
    ['NUMBER 4321', 'Customer number 4321'],
    ['customer-77', 'Customer number 7799'],
    ['app_0000000000000000042', 'Customer number 42'],
  ] as const) {
    await search.fill(text)
    await page.getByRole('link', { name, exact: true }).waitFor()
  }
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('link', { name: 'Customer number 42', exact: true }).click()
  await page.getByText('Its only endpoint is healthy.').waitFor()
  await expect.poll(() => answers.length).toBeGreaterThan(4)
  console.log(
    `10,000 applications: the slowest of ${answers.length} lists took ${Math.max(...answers.map(({ tookMs }) => tookMs))} ms`,
  )
  // However many there are, an answer holds a page of them.
  for (const { bytes } of answers) expect(bytes).toBeLessThan(200_000)
  expect(complaints).toEqual([])
  await close()
})

const all = { healthy: 0, degraded: 0, breaker_open: 0, paused: 0, disabled: 0 }

test.each([
  [{ endpoints: 0, health: all }, 'no endpoints', 'It has no endpoints yet, so messages for it go nowhere.'],
  [{ endpoints: 1, health: { ...all, healthy: 1 } }, 'healthy', 'Its only endpoint is healthy.'],
  [{ endpoints: 3, health: { ...all, healthy: 3 } }, 'healthy', 'All 3 endpoints are healthy.'],
  [{ endpoints: 2, health: { ...all, breaker_open: 2 } }, 'unhealthy', 'All 2 endpoints are on hold.'],
  [
    { endpoints: 9, health: { healthy: 2, degraded: 3, breaker_open: 1, paused: 2, disabled: 1 } },
    '4 of 9 unhealthy',
    'Of 9 endpoints, 1 is on hold, 3 are degraded, 2 are paused, 1 is disabled and 2 are healthy.',
  ],
  [
    { endpoints: 2, health: { ...all, healthy: 1, disabled: 1 } },
    'healthy',
    'Of 2 endpoints, 1 is disabled and 1 is healthy.',
  ],
  [{ endpoints: 1, health: { ...all, paused: 1 } }, 'paused', 'Its only endpoint is paused.'],
  [{ endpoints: 1, health: { ...all, disabled: 1 } }, 'disabled', 'Its only endpoint is disabled.'],
])('the health of %j is said in a word and a sentence', (given, word, sentence) => {
  expect(healthState({ ...given, partial: false }).word).toBe(word)
  expect(healthSentence({ ...given, partial: false })).toBe(sentence)
})

test('what is known of some endpoints only says so, and a customer without a name has another', () => {
  expect(healthSentence({ endpoints: 3_000, health: { ...all, healthy: 1_000 }, partial: true })).toBe(
    'All 1,000 endpoints are healthy. These are the first of 3,000.',
  )
  expect(customerName({ name: '', uid: 'acme', id: 'app_1' })).toBe('acme')
  expect(customerName({ name: '', uid: null, id: 'app_1' })).toBe('app_1')
})
