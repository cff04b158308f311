import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type * as library from 'posthorn'
import type * as front from 'posthorn/server'
import type * as store from 'posthorn/sqlite'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import type { Shop } from './shop.ts'
import { adminKey, useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let shop: Shop
let server: Server

beforeAll(async () => {
  shop = await keepShop(stage.file('shop.db'))
  await shop.posthorn.stop()
  server = await stage.serve({ database: stage.file('shop.db'), delivers: false })
}, 120_000)

function addressOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

describe('the address', () => {
  test('keeps the filters of deliveries over a reload', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'deliveries' })
    await page.locator('.chips label', { hasText: 'retrying' }).click()
    await page.getByText('More filters').click()
    await page.getByLabel('Event type').fill('customer.updated')
    await page.getByLabel('Event type').press('Enter')
    await page.waitForURL('**/deliveries?status=failed&event_type=customer.updated')
    await page.reload()
    await page.locator('tbody tr').first().waitFor()
    expect(await page.getByLabel('Event type').inputValue()).toBe('customer.updated')
    expect(await page.getByRole('checkbox', { name: 'retrying' }).isChecked()).toBe(true)
    await expect
      .poll(async () => new Set(await page.locator('tbody .main a').allTextContents()))
      .toEqual(new Set(['customer.updated']))
    await close()
  })

  test('leads through pages of deliveries and back', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'deliveries?status=delivered' })
    const first = await page.locator('tbody tr').first().textContent()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL('**/deliveries?status=delivered&iterator=*')
    await expect.poll(() => page.locator('tbody tr').first().textContent()).not.toBe(first)
    await page.goBack()
    await page.waitForURL('**/deliveries?status=delivered')
    await close()
  })

  test('finds text in payloads, and says how far it looked', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'deliveries' })
    await page.getByPlaceholder('Text in the payload').fill('Grace Hopper')
    await page.waitForURL('**/deliveries?text=Grace+Hopper')
    await expect
      .poll(async () => new Set(await page.locator('tbody .main a').allTextContents()))
      .toEqual(new Set(['customer.updated']))
    await page.getByText(/newest [\d,]+/).waitFor()
    await close()
  })
})

test('below another base path, in a program of your own, links, assets and the session work', limit, async () => {
  const { Posthorn } = (await import(stage.built('index.js'))) as typeof library
  const { sqlite } = (await import(stage.built('stores/sqlite/index.js'))) as typeof store
  const { handler, toNodeListener } = (await import(stage.built('server/index.js'))) as typeof front
  const posthorn = new Posthorn({ store: sqlite(stage.file('own.db')) })
  const endpoint = await posthorn.endpoints.create({ application: 'acme', url: 'https://hooks.acme.example/' })
  const listener = toNodeListener(handler(posthorn, { basePath: '/tools/posthorn', adminKey }))
  const own = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    own.closeAllConnections()
    await new Promise((resolve) => own.close(resolve))
    await posthorn.stop()
  })
  const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/tools/posthorn/`

  const { page, complaints, close } = await stage.open({ url }, { path: `endpoints/${endpoint.id}` })
  const [cookie] = await page.context().cookies(url)
  expect(cookie).toMatchObject({ path: '/tools/posthorn', httpOnly: true, sameSite: 'Strict' })
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  expect(addressOf(page)).toBe('/tools/posthorn/')
  await page.getByRole('link', { name: 'Endpoints' }).click()
  await page.getByRole('link', { name: 'hooks.acme.example' }).click()
  await page.waitForURL(`**/tools/posthorn/endpoints/${endpoint.id}`)
  await page.goBack()
  await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

describe('the keyboard', () => {
  test('loses no keystroke to a page that is drawn anew', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'endpoints' })
    await page.clock.install()
    await page.getByLabel('Text in the URL or description').pressSequentially('led')
    await page.getByRole('button', { name: 'Endpoint and why' }).click()
    expect(await page.getByLabel('Text in the URL or description').inputValue()).toBe('led')
    await Promise.all([page.waitForResponse(/api\/v1\/endpoint\?text=led/), page.clock.runFor(1_000)])
    expect(await page.getByLabel('Text in the URL or description').inputValue()).toBe('led')
    await close()
  })

  test('walks through rows, selects, opens and retries', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'deliveries?status=dead' })
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    const dead = await page.locator('tbody tr').count()
    await page.locator('tbody tr').first().focus()
    await page.keyboard.press('r')
    await page.getByText('Queued again, with its full retry schedule.').waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(dead - 1)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/deliveries/dlv_*')
    await close()
  })

  test('goes to pages, to the search and to the help', limit, async () => {
    const { page, close } = await stage.open(server)
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('ledger')
    await page.waitForURL('**/endpoints?text=ledger')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
    await close()
  })
})
