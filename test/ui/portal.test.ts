import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { axeFaults } from './axe.ts'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import type { Shop } from './shop.ts'
import { adminKey, useStage } from './stage.ts'
import type { Scene } from './stage.ts'
import { stamps } from './stamps.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
const themes = ['light', 'dark'] as const
const widths = [1280, 390] as const

/** A link for a customer; `read` for one that changes nothing. */
async function link(server: Server, application: string, access: 'read' | 'write' = 'write') {
  return server.call<{ url: string; token: string }>('POST', `auth/app-portal-access/${application}`, {
    readOnly: access === 'read',
  })
}

describe('a customer', () => {
  let server: Server
  let local: Receiver

  beforeAll(async () => {
    local = await receiver()
    server = await stage.serve()
    await server.call('POST', 'event-type', {
      name: 'invoice.paid',
      description: 'An invoice was paid in full.',
      schemas: { '1': { type: 'object', properties: { invoice: { type: 'integer', examples: [1042] } } } },
    })
    return () => local.close()
  }, 60_000)

  async function application(uid: string): Promise<void> {
    await server.call('POST', 'app?get_if_exists=true', { name: uid, uid })
  }

  test('comes by a link, which leaves no key in the address, and adds an endpoint', limit, async () => {
    await application('fresh')
    const { page, complaints, close } = await stage.open(server, { key: null })
    await page.goto((await link(server, 'fresh')).url)
    await page.getByText('No endpoints yet').waitFor()
    expect(page.url()).toBe(`${server.url}portal`)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByLabel('URL', { exact: true }).fill('no url')
    await page.getByLabel('invoice.paid').check()
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('alert').getByText('url').waitFor()
    await page.getByLabel('URL', { exact: true }).fill(local.url('/fresh'))
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('heading', { name: local.url('/fresh').replace('http://', '') }).waitFor()
    await page.getByText('Your endpoint gets events.').waitFor()
    const { data } = await server.call<{ data: unknown[] }>('GET', 'app/fresh/endpoint')
    expect(data).toMatchObject([{ url: local.url('/fresh'), eventTypes: ['invoice.paid'] }])
    expect(complaints.filter((each) => !/40[19]|422/.test(each))).toEqual([])
    await close()
  })

  test('edits, pauses, resumes and deletes an endpoint', limit, async () => {
    await application('care')
    const { id } = await server.call<{ id: string }>('POST', 'app/care/endpoint', { url: local.url('/care') })
    const { token } = await link(server, 'care')
    const { page, complaints, close } = await stage.open(server, { key: token, path: `portal/endpoints/${id}` })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Description').fill('Invoices to the books')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Invoices to the books').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Your endpoint is paused.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Your endpoint gets events.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No endpoints yet').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('reveals and rotates the secret, which then signs what is sent', limit, async () => {
    await application('secret')
    const { id } = await server.call<{ id: string }>('POST', 'app/secret/endpoint', { url: local.url('/secret') })
    const { token } = await link(server, 'secret')
    const { page, close } = await stage.open(server, { key: token, path: `portal/endpoints/${id}` })
    await page.getByRole('button', { name: 'Reveal' }).click()
    const secret = page.getByRole('region', { name: 'The signing secret' })
    const before = await secret.textContent()
    expect(before).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await page.getByText('The secret is rotated.').waitFor()
    await expect.poll(() => secret.textContent()).not.toBe(before)
    expect((await server.call<{ key: string }>('GET', `app/secret/endpoint/${id}/secret`)).key).toBe(
      await secret.textContent(),
    )
    await page.getByText('Python').click()
    await page.getByText('def verify(body, headers):').waitFor()
    await close()
  })

  test('sends an example, and sees the answer of the endpoint', limit, async () => {
    await application('try')
    local.behave('/try', { status: 422, body: '{"error":"unknown invoice"}' })
    await server.call('POST', 'app/try/endpoint', { url: local.url('/try') })
    const { token } = await link(server, 'try')
    const { page, close } = await stage.open(server, { key: token, path: 'portal/events' })
    await page.getByText('Schema and example').click()
    expect(await page.getByRole('region', { name: 'Example of invoice.paid' }).textContent()).toContain('1042')
    await page.getByRole('link', { name: 'Send a test invoice.paid' }).click()
    await page.getByRole('button', { name: 'Send the example' }).click()
    await page.getByText('Your endpoint did not take it.').waitFor()
    await page.getByText('"error": "unknown invoice"').waitFor()
    local.behave('/try', 204)
    await page.getByRole('button', { name: 'Send the example' }).click()
    await page.getByText('Your endpoint took it.').waitFor()
    expect(await local.waitFor(2, '/try')).toHaveLength(2)
    await close()
  })

  test('sees messages as they were sent and attempts with their answers, and retries what failed', limit, async () => {
    await application('logs')
    await application('others')
    local.behave('/logs', { status: 400, body: 'not today' })
    await server.call('POST', 'app/logs/endpoint', { url: local.url('/logs') })
    await server.call('POST', 'app/others/endpoint', { url: local.url('/others') })
    // Larger than what a browser keeps of a number.
    const payload = '{"eventType":"invoice.paid","payload":{"invoice":12345678901234567890}}'
    const sent = await fetch(`${server.url}api/v1/app/logs/msg`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: payload,
    })
    expect(sent.status).toBe(202)
    await local.waitFor(1, '/logs')
    const { token } = await link(server, 'logs')
    const { page, close } = await stage.open(server, { key: token, path: 'portal/messages' })
    await page.getByRole('link', { name: 'invoice.paid' }).click()
    await page.getByText('12345678901234567890').waitFor()
    expect(await page.getByRole('columnheader').allTextContents()).toContain('Your endpoint')
    await page.getByRole('link', { name: 'Logs', exact: true }).click()
    await page.getByText('400', { exact: true }).waitFor()
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(expect.arrayContaining(['Event', 'Message']))
    expect(await page.locator('option').allTextContents()).toEqual([local.url('/logs').replace('http://', '')])
    await page.getByRole('button', { name: 'Response' }).click()
    await page.getByText('not today').waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('400', { exact: true }).nth(1).waitFor()
    const messages = await page.locator('td.cut code').allTextContents()
    expect([messages.length, new Set(messages).size]).toEqual([2, 1])
    // Both have failed; what can be tried again is the message, once.
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1)
    local.behave('/logs', 200)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('200', { exact: true }).waitFor()
    await page.getByText('Failed', { exact: true }).click()
    await page.getByText('200', { exact: true }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?result=2')
    await close()
  })

  test('whose link allows reading only sees everything and changes nothing', limit, async () => {
    await application('reader')
    local.behave('/reader', 400)
    const { id } = await server.call<{ id: string }>('POST', 'app/reader/endpoint', { url: local.url('/reader') })
    await server.call('POST', 'app/reader/msg', { eventType: 'invoice.paid', payload: {} })
    const { token } = await link(server, 'reader', 'read')
    const { page, go, close } = await stage.open(server, { key: token, path: `portal/endpoints/${id}` })
    await page.getByText('400', { exact: true }).waitFor()
    await page.getByText('the secret is not shown').waitFor()
    for (const name of ['Edit', 'Pause', 'Delete', 'Reveal', 'Rotate', 'Retry'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    await go('portal')
    expect(await page.getByRole('button', { name: 'Add an endpoint' }).count()).toBe(0)
    await go('portal/test')
    await page.getByText('it sends no tests').waitFor()
    await close()
  })

  test(
    'is led to the portal from every page of the operators, and operators from the portal to theirs',
    limit,
    async () => {
      await application('lost')
      const { token } = await link(server, 'lost')
      const { page, close } = await stage.open(server, { key: token, path: 'portal' })
      await page.goto(`${server.url}settings`)
      await page.waitForURL(`${server.url}portal`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('This link is no longer valid').waitFor()
      await close()
      const operator = await stage.open(server)
      await operator.page.goto(`${server.url}portal/logs`)
      await operator.page.waitForURL(server.url)
      expect(await operator.page.locator('h1').textContent()).toBe('Overview')
      await operator.close()
    },
  )
})

describe('every page', () => {
  let shop: Shop
  let server: Server
  let message = ''
  let checked = 0
  let violations = 0

  // Nobody delivers any more: what is on a page stays as it is while it is looked at.
  beforeAll(async () => {
    shop = await keepShop(stage.file('shop.db'))
    await shop.posthorn.stop()
    server = await stage.serve({ database: stage.file('shop.db'), delivers: false })
    await server.call('POST', 'app', { name: 'Empty', uid: 'empty' })
    const { data } = await server.call<{ data: { id: string }[] }>('GET', 'app/acme/msg?event_types=customer.updated')
    message = data[0]?.id ?? ''
  }, 120_000)

  afterAll(() =>
    console.log(
      `portal: axe ${violations} violations on ${checked / widths.length} pages × ${themes.length} themes × ${widths.length} widths`,
    ),
  )

  const pages: readonly (readonly [name: string, path: () => string, title: string])[] = [
    ['endpoints', () => 'portal', 'Endpoints'],
    ['an endpoint', () => `portal/endpoints/${shop.crm.id}`, 'crm.acme.example/in/customers'],
    ['messages', () => 'portal/messages', 'Messages'],
    ['a message', () => `portal/messages/${message}`, 'customer.updated'],
    ['the catalogue', () => 'portal/events', 'Event catalogue'],
    ['the test', () => 'portal/test', 'Test'],
    ['logs', () => `portal/logs?endpoint=${shop.crm.id}`, 'Logs'],
    ['no page', () => 'portal/no/where/else', 'There is no such page'],
  ]

  describe.each(widths)('%i px wide', (width) => {
    let scene: Scene
    beforeAll(async () => {
      const { token } = await link(server, 'acme')
      scene = await stage.open(server, { key: token, path: 'portal', viewport: { width, height: 844 } })
      return () => scene.close()
    }, 60_000)

    test.each(pages)('%s is drawn, without a complaint of the browser or of axe', limit, async (name, path, title) => {
      const { page, complaints, go } = scene
      await go(path())
      expect(await page.locator('h1').textContent()).toContain(title)
      for (const summary of await page.locator('summary').all()) await summary.click()
      if (name === 'logs') await page.getByRole('button', { name: 'Response' }).first().click()
      const faults = await axeFaults(page, themes)
      violations += faults.length
      checked += 1
      expect(faults).toEqual([])
      expect(await stamps(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
      expect(complaints).toEqual([])
    })
  })

  test('teaches where there is nothing yet', limit, async () => {
    const { token } = await link(server, 'empty')
    const { page, go, close } = await stage.open(server, { key: token, path: 'portal' })
    for (const [path, words] of [
      ['portal', 'No endpoints yet'],
      ['portal/messages', 'No messages yet'],
      ['portal/test', 'Add an endpoint first.'],
      ['portal/logs', 'Add an endpoint first: its attempts are listed here.'],
    ] as const) {
      await go(path)
      expect(await page.getByText(words, { exact: true }).isVisible(), path).toBe(true)
      expect(await axeFaults(page, themes), path).toEqual([])
    }
    await close()
  })

  test('works from the keyboard: the way around is reached, followed and skipped', limit, async () => {
    const { token } = await link(server, 'acme')
    const { page, close } = await stage.open(server, { key: token, path: 'portal' })
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the page')
    for (let times = 0; times < 2; times += 1) await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Messages')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await close()
  })
})
