import { DatabaseSync } from '@photostructure/sqlite'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }

const counter = (most: number): string =>
  `with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${most})`

let server: Server
let delivery: string
let message: string

/** Ten thousand endpoints of a hundred applications, and a hundred thousand deliveries. */
beforeAll(async () => {
  const file = stage.file('find.db')
  const posthorn = new Posthorn({ store: sqlite(file) })
  await posthorn.endpoints.create({ application: 'acme', url: 'https://hooks.acme.example/books' })
  await posthorn.eventTypes.create({ name: 'invoice.paid', description: 'An invoice was paid in full.' })
  const sent = await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {}, eventId: 'evt-2031' })
  message = sent.id
  delivery = (await posthorn.deliveries.list({ messageId: message }))[0]?.id ?? ''
  await posthorn.stop()
  const database = new DatabaseSync(file)
  database.exec(`${counter(100)}
insert into posthorn_applications (id, uid, name)
select printf('app_%019d', n), 'customer-' || n, 'Customer ' || n from counter`)
  database.exec(`${counter(9_999)}
insert into posthorn_endpoints (id, application_id, url, description)
select printf('ep_%019d', n), printf('app_%019d', n % 100 + 1), 'https://hooks.example/' || n, '' from counter`)
  database.exec(`${counter(100_000)}
insert into webhook_deliveries (id, webhook_id, application_id, message_id, event_type, status, created_at, updated_at)
select printf('dlv_0%018d', n), printf('ep_%019d', n % 9999 + 1), '', '${message}', 'invoice.paid', 'delivered', 1, 1 from counter`)
  database.close()
  server = await stage.serve({ database: file, delivers: false })
}, 120_000)

test('the palette finds each kind of thing among many, and the keyboard alone opens it', limit, async () => {
  const { page, complaints, go, close } = await stage.open(server)
  const open = async (key: string, text: string): Promise<void> => {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await page.keyboard.type(text)
  }
  await open('/', 'hooks.example/9876')
  await option(page, 'hooks.example/9876').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/endpoints/ep_0000000000000009876')

  // Whoever pastes an id and presses Enter at once gets to it all the same.
  await open('Control+k', delivery)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/deliveries/${delivery}`)
  await page.getByRole('heading', { name: 'invoice.paid', level: 1 }).waitFor()

  await open('/', 'dlv_0000000000000004711')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/deliveries/dlv_0000000000000004711')

  await open('/', message)
  await option(page, 'invoice.paid').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/*${message}`)

  await go('')
  await open('/', 'evt-2031')
  await page.getByRole('group', { name: 'Messages' }).getByRole('option', { name: 'evt-2031' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/messages/${message}`)

  await open('/', 'customer-77')
  await option(page, 'Customer 77').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/*app_0000000000000000077')

  await open('/', 'paid full')
  await option(page, 'invoice.paid').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
  await close()
})

test('the palette leads to pages and does what can be done', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'deliveries' })
  await page.keyboard.press('/')
  await page.keyboard.type('dead let')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor()
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('MAIN')

  await page.keyboard.press('/')
  await page.keyboard.type('dark theme')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')

  await page.goto(`${server.url}endpoints/ep_0000000000000000001`)
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'Pause' }).waitFor()
  await page.keyboard.type('pause')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Pause this endpoint?' }).waitFor()
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('sign out')
  await page.keyboard.press('Enter')
  await page.getByLabel('API key').waitFor()
  await close()
})

test('the arrows walk through what was found, round and round', limit, async () => {
  const { page, close } = await stage.open(server)
  await page.keyboard.press('/')
  const active = (): Promise<string> =>
    page.evaluate<string>(
      'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent ?? ""',
    )
  await expect.poll(active).toContain('Overview')
  await page.keyboard.press('ArrowDown')
  await expect.poll(active).toContain('Messages')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect.poll(active).toContain('Sign out')
  await page.keyboard.press('ArrowDown')
  await expect.poll(active).toContain('Overview')
  await close()
})

test('the palette opens again at once: the key is not lost in the field of the one that closes', limit, async () => {
  const { page, close } = await stage.open(server)
  await page.keyboard.press('/')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  // Within one task: the field still has the focus, which it loses with the next frame.
  await page.evaluate(`document.querySelector('dialog.palette').close()
document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }))`)
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ timeout: 5_000 })
  expect(await page.locator('dialog.palette').count()).toBe(1)
  await close()
})

test('a combobox finds one of ten thousand endpoints, and its choice is in the address', limit, async () => {
  const { page, complaints, close } = await stage.open(server, { path: 'dead-letters' })
  const field = page.getByRole('combobox', { name: 'Endpoint' })
  await page.keyboard.press('f')
  await page.keyboard.type('example/9999')
  await option(page, 'hooks.example/9999').waitFor()
  // However many there are, a few are shown.
  await field.fill('hooks.example')
  await expect.poll(() => page.getByRole('listbox', { name: 'Choices' }).getByRole('option').count()).toBe(8)
  await field.fill('example/9998')
  await field.press('Enter')
  await page.waitForURL('**/dead-letters?endpoint=ep_0000000000000009998')
  expect(await field.inputValue()).toBe('hooks.example/9998')
  expect(await field.getAttribute('aria-expanded')).toBe('false')

  // A link to the view shows how the endpoint is called, too.
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('hooks.example/9998')
  await field.fill('')
  await field.press('Enter')
  await page.waitForURL('**/dead-letters')

  // What is no choice stays no choice.
  await field.fill('hooks.example/77')
  await option(page, 'hooks.example/77').first().waitFor()
  await field.press('Escape')
  expect(await field.inputValue()).toBe('')
  expect(complaints).toEqual([])
  await close()
})

test('a form offers what can be chosen, and takes several or something new', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'endpoints' })
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  const form = page.getByRole('dialog', { name: 'Add an endpoint' })
  await form.getByLabel('Application').fill('customer-42')
  await option(page, 'Customer 42').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => form.getByLabel('Application').inputValue()).toBe('Customer 42')
  await form.getByLabel('URL', { exact: true }).fill('https://new.example/in')
  await form.getByLabel('Event types').fill('order.made, inv')
  await option(page, 'invoice.paid').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => form.getByLabel('Event types').inputValue()).toBe('order.made, invoice.paid, ')
  await form.getByRole('button', { name: 'Add the endpoint' }).click()
  await page.waitForURL('**/endpoints/ep_*')
  const id = page.url().split('/').at(-1) ?? ''
  expect(await server.call('GET', `endpoint/${id}`)).toMatchObject({
    applicationUid: 'customer-42',
    types: ['order.made', 'invoice.paid'],
  })
  await close()
})

test('a range stays what it says in a saved view, and statuses say how many there are', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'deliveries' })
  await page.locator('.chips label', { hasText: /^queued +1$/ }).waitFor()
  await page.locator('.chips label', { hasText: /^dead +0$/ }).waitFor()
  const asked = page.waitForRequest(/api\/v1\/delivery\?since=20/)
  await page.locator('.segments label', { hasText: /^1 h$/ }).click()
  await page.waitForURL('**/deliveries?since=1h')
  await asked
  await page.reload()
  expect(await page.getByRole('radio', { name: '1 h', exact: true }).isChecked()).toBe(true)
  await page.locator('.segments label', { hasText: 'Custom' }).click()
  await page.waitForURL('**/deliveries?since=20*')
  expect(await page.getByLabel('Created since').inputValue()).toMatch(/^20/)
  await page.locator('.segments label', { hasText: 'Any time' }).click()
  await page.waitForURL('**/deliveries')
  await close()
})

function option(page: Page, name: string) {
  return page.getByRole('option', { name })
}
