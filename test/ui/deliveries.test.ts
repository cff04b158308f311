import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import type { Shop } from './shop.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let shop: Shop
let quiet: Server
let server: Server
let local: Receiver

beforeAll(async () => {
  shop = await keepShop(stage.file('shop.db'))
  await shop.posthorn.stop()
  quiet = await stage.serve({ database: stage.file('shop.db'), delivers: false })
  server = await stage.serve()
  local = await receiver()
  return () => local.close()
}, 120_000)

describe('the list of deliveries', () => {
  test('has status, event, customer and endpoint, code, latency, attempts and age of each', limit, async () => {
    const { page, close } = await stage.open(quiet, { path: `deliveries?id=${shop.dead}` })
    const heads = await page.locator('thead th').allTextContents()
    expect(heads).toEqual([
      '',
      'Status',
      'Event',
      'Customer / Endpoint',
      'Code',
      'Latency',
      'Attempts',
      'Created',
      'Action',
    ])
    const row = page.locator('tbody tr')
    expect(await row.locator('td:visible').allInnerTexts()).toEqual([
      '',
      expect.stringMatching(/^dead\s+exhausted$/),
      'customer.updated',
      expect.stringMatching(/^Acme Shop\s+crm\.acme\.example/),
      '422',
      '210 ms',
      '6',
      expect.stringMatching(/ ago$/),
      '',
    ])
    await row.getByRole('link', { name: 'crm.acme.example' }).click()
    await page.waitForURL(`**/endpoints/${shop.crm.id}`)
    await close()
  })

  test('lets what is dead stand out, and what was delivered recede', limit, async () => {
    const { page, go, close } = await stage.open(quiet, { path: `deliveries?id=${shop.dead}` })
    const look = async (): Promise<{ weight: number; color: string }> => {
      const [weight, color] = await page.evaluate<[string, string]>(
        '(({ fontWeight, color }) => [fontWeight, color])(getComputedStyle(document.querySelector("tbody .state")))',
      )
      return { weight: Number(weight), color }
    }
    const dead = await look()
    await go(`deliveries?id=${shop.delivered}`)
    const delivered = await look()
    expect(dead.weight).toBeGreaterThan(delivered.weight)
    expect(dead.color).not.toBe(delivered.color)
    await close()
  })

  test('on a phone says the status above the event, and shows the whole address', limit, async () => {
    const viewport = { width: 390, height: 844 }
    const { page, close } = await stage.open(quiet, { path: `deliveries?id=${shop.delivered}`, viewport })
    const cell = page.locator('tbody .main')
    expect(await cell.locator('.state').isVisible()).toBe(true)
    expect(await cell.innerText()).toMatch(/^delivered\s+invoice\.voided\s+Acme Shop\s+hooks\.acme\.example/)
    const cut = '[...document.querySelectorAll("tbody .under")].filter((node) => node.scrollWidth > node.clientWidth)'
    expect(await page.evaluate<number>(`${cut}.length`)).toBe(0)
    await close()
  })

  test('is comfortable or compact, and the browser keeps which', limit, async () => {
    const { page, close } = await stage.open(quiet, { path: 'deliveries?status=delivered' })
    const height = async (): Promise<number> => (await page.locator('tbody tr').first().boundingBox())?.height ?? 0
    const comfortable = await height()
    await page.getByText('Compact').click()
    await expect.poll(height).toBeLessThan(comfortable)
    const compact = await height()
    await page.reload()
    await page.locator('tbody tr').first().waitFor()
    expect(await height()).toBe(compact)
    expect(await page.getByRole('radio', { name: 'Compact' }).isChecked()).toBe(true)
    await close()
  })

  test('leaves no hole in the middle: the two columns of text share the room', limit, async () => {
    const { page, close } = await stage.open(quiet, { path: 'deliveries' })
    const widths = await page.evaluate<number[]>(
      '[...document.querySelectorAll("thead th")].map((head) => head.getBoundingClientRect().width)',
    )
    const [, , event = 0, where = 0] = widths
    expect(event).toBeGreaterThan(100)
    expect(where).toBeGreaterThan(event)
    expect(where).toBeLessThan(420)
    await close()
  })
})

describe('a selection', () => {
  test('goes on from page to page, and says how much of it is elsewhere', limit, async () => {
    const { page, close } = await stage.open(quiet, { path: 'deliveries?status=delivered' })
    await page.getByLabel('Select all rows of this page').click()
    await page.getByText('50 selected', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL('**iterator=*')
    await page.getByText('50 selected, 50 of them on other pages').waitFor()
    await page.locator('tbody tr input').first().click()
    await page.getByText('51 selected, 50 of them on other pages').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByText('Select rows, here and on other pages').waitFor()
    await page.getByLabel('Select all rows of this page').click()
    await page.locator('.chips label', { hasText: 'queued' }).click()
    await page.waitForURL('**/deliveries?status=delivered&status=pending')
    await page.getByText('Select rows, here and on other pages').waitFor()
    expect(await page.locator('tbody input:checked').count()).toBe(0)
    await close()
  })

  test(
    'is of all that match, with the exact numbers; one row less, and it is of the others of the page',
    limit,
    async () => {
      const path = `deliveries?endpoint=${shop.crm.id}`
      const { page, close } = await stage.open(quiet, { path })
      const matching = async (action: string, status: string[]): Promise<number> =>
        (
          await quiet.call<{ matching: number }>('POST', 'job', {
            action,
            filter: { status, endpoint: shop.crm.id },
            dryRun: true,
          })
        ).matching
      const retry = await matching('requeue', ['failed', 'dead'])
      const cancel = await matching('cancel', ['pending', 'failed'])
      expect(retry).toBeGreaterThan(cancel)
      await page.getByRole('button', { name: 'Select all that match' }).click()
      await page.getByText(`All that match: ${retry} to retry, ${cancel} to cancel`).waitFor()
      const rows = await page.locator('tbody tr').count()
      expect(await page.locator('tbody input:checked').count()).toBe(rows)
      await page.getByRole('button', { name: `Retry ${retry} …` }).click()
      await page.getByRole('dialog', { name: `Retry ${retry} deliveries now?` }).waitFor()
      await page.keyboard.press('Escape')
      await page.locator('tbody input').first().click()
      await page.getByText(`${rows - 1} selected`).waitFor()
      await close()
    },
  )

  test('is not offered of all that match where a search cannot say them', limit, async () => {
    const { page, close } = await stage.open(quiet, { path: 'deliveries?text=Grace' })
    await page.locator('tbody tr').first().waitFor()
    expect(await page.getByRole('button', { name: 'Select all that match' }).count()).toBe(0)
    await close()
  })

  test('of all that match, over many pages, is retried by one job, and all arrive', limit, async () => {
    local.behave('/pages', { status: 400, body: 'not today' })
    await server.call('POST', 'app', { name: 'Pages', uid: 'pages' })
    const { id } = await server.call<{ id: string }>('POST', 'app/pages/endpoint', { url: local.url('/pages') })
    const send = (): Promise<unknown> =>
      server.call('POST', 'app/pages/msg', { eventType: 'invoice.paid', payload: {} })
    await Promise.all(Array.from({ length: 120 }, send))
    await local.waitFor(120, '/pages')
    const statuses = (): string[] => {
      const database = new DatabaseSync(server.database, { readOnly: true })
      const found = database.prepare('select status from webhook_deliveries where webhook_id = ?').all(id)
      database.close()
      return found.map((row) => String(row['status']))
    }
    await expect.poll(() => new Set(statuses())).toEqual(new Set(['dead']))
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=deliveries` })
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText('All that match: 120 to retry', { exact: true }).waitFor()
    local.behave('/pages', 200)
    await page.getByRole('button', { name: 'Retry 120 …' }).click()
    await page
      .getByRole('dialog', { name: 'Retry 120 deliveries now?' })
      .getByRole('button', { name: 'Retry 120 now' })
      .click()
    await page.getByText('Finished: 120 of 120 deliveries queued again.').waitFor()
    await local.waitFor(240, '/pages')
    await expect.poll(() => new Set(statuses())).toEqual(new Set(['delivered']))
    await close()
  })
})
