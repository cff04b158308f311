import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import type { Shop } from './shop.ts'
import { useStage } from './stage.ts'
import type { Scene } from './stage.ts'
import { stamps } from './stamps.ts'

const stage = useStage()
const themes = ['light', 'dark'] as const
const widths = [1280, 390] as const
const limit = { timeout: 60_000 }

let shop: Shop
let busy: Server
let empty: Server
let messageId: string
let job: { readonly id: string; readonly matching: number }

// Nobody delivers any more: what is on a page stays as it is while it is looked at.
beforeAll(async () => {
  shop = await keepShop(stage.file('shop.db'))
  messageId = (await shop.posthorn.deliveries.get(shop.dead)).messageId
  await shop.posthorn.stop()
  busy = await stage.serve({ database: stage.file('shop.db'), delivers: false })
  empty = await stage.serve({ delivers: false })
  job = await busy.call('POST', 'job', {
    action: 'requeue',
    filter: { status: 'dead' },
    reason: 'The customers exist now',
  })
}, 120_000)

// Paths are made when they are needed: the ids are not known before.
const pages: readonly (readonly [name: string, path: () => string, title: string])[] = [
  ['overview', () => '', 'Overview'],
  ['deliveries', () => `deliveries?status=failed&status=dead&endpoint=${shop.crm.id}`, 'Deliveries'],
  ['a delivery that is retried', () => `deliveries/${shop.failed}`, 'customer.updated'],
  ['a delivery that arrived', () => `deliveries/${shop.delivered}`, 'invoice.'],
  ['a delivery that is dead', () => `deliveries/${shop.dead}`, 'customer.updated'],
  ['messages', () => 'messages', 'Messages'],
  ['a message', () => `messages/${messageId}`, 'customer.updated'],
  ['a message to send', () => 'messages/send?application=acme&event_type=invoice.paid', 'Send a message'],
  ['dead letters', () => 'dead-letters', 'Dead letters'],
  ['applications', () => 'applications', 'Applications'],
  ['an application', () => `applications/${shop.crm.applicationId}`, 'Acme Shop'],
  ['endpoints', () => 'endpoints', 'Endpoints'],
  ['an endpoint', () => `endpoints/${shop.ledger.id}`, 'gateway.northwind.example/webhooks/ledger'],
  ["an endpoint's week", () => `endpoints/${shop.crm.id}?window=7d`, 'crm.acme.example'],
  ["an endpoint's deliveries", () => `endpoints/${shop.crm.id}?tab=deliveries`, 'crm.acme.example'],
  ["an endpoint's settings", () => `endpoints/${shop.crm.id}?tab=settings`, 'crm.acme.example'],
  ["an endpoint's secrets", () => `endpoints/${shop.crm.id}?tab=security`, 'crm.acme.example'],
  ['all deliveries', () => 'deliveries', 'Deliveries'],
  ['jobs', () => 'jobs', 'Jobs'],
  ['a job', () => `jobs/${job.id}`, 'Retry now: '],
  ['live tail', () => 'tail', 'Live tail'],
  ['event types', () => 'event-types', 'Event types'],
  ['an event type', () => 'event-types/invoice.paid', 'invoice.paid'],
  ["an event type's older version", () => 'event-types/invoice.paid?version=1', 'invoice.paid'],
  ['an event type without a schema', () => 'event-types/customer.updated', 'customer.updated'],
  ['audit', () => 'audit', 'Audit'],
  ['settings', () => 'settings', 'Settings'],
  ['no page', () => 'settings/no/where', 'There is no such page'],
  ['an address that cannot be decoded', () => 'settings/%E0%A4%A/x', 'There is no such page'],
]

const empties = [
  ['', 'Nothing was sent in this time'],
  ['deliveries', 'No deliveries yet'],
  ['messages', 'No messages yet'],
  ['applications', 'No applications yet'],
  ['endpoints', 'No endpoints yet'],
  ['dead-letters', 'No dead letters'],
  ['jobs', 'No jobs yet'],
  ['event-types', 'No event types are declared'],
  // Whoever looks has signed in.
  ['audit', 'session.open'],
] as const

let violations = 0
let checked = 0
afterAll(() =>
  console.log(
    `axe ${violations} violations on ${checked / themes.length / widths.length} pages × ${themes.length} themes × ${widths.length} widths`,
  ),
)

/** What axe-core has against the page as it stands, in words, in each theme and at each width. */
async function faults(page: Page): Promise<string[]> {
  const all: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    all.push(...(await axeFaults(page, themes)).map((fault) => `${width} ${fault}`))
    checked += themes.length
  }
  violations += all.length
  await page.setViewportSize({ width: widths[0], height: 900 })
  return all
}

describe('in both themes and at both widths', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await stage.open(busy)
  })
  beforeEach(() => void (scene.complaints.length = 0))

  test.each(pages)('%s is drawn, without a complaint of the browser or of axe', limit, async (_, path, title) => {
    await scene.go(path())
    expect(await scene.page.locator('h1').textContent()).toContain(title)
    expect(await faults(scene.page)).toEqual([])
    expect(await stamps(scene.page)).toEqual([])
    expect(scene.complaints).toEqual([])
  })

  describe('an empty server', () => {
    let first: Scene
    beforeAll(async () => {
      first = await stage.open(empty)
      return () => first.close()
    })

    test.each(empties)('teaches on /%s: %s, without a complaint of axe', limit, async (path, words) => {
      await first.go(path)
      expect(await first.page.getByText(words).isVisible()).toBe(true)
      expect(await faults(first.page)).toEqual([])
    })
  })

  test('the door is drawn, without a complaint of axe', limit, async () => {
    const { page, close } = await stage.open(busy, { key: null })
    expect(await page.getByLabel('API key').isVisible()).toBe(true)
    expect(await faults(page)).toEqual([])
    await close()
  })

  test('a question is drawn, without a complaint of axe', limit, async () => {
    const { page } = scene
    await scene.go('dead-letters')
    await page.getByRole('button', { name: `Retry all ${job.matching} matching` }).click()
    await page.getByRole('dialog', { name: `Retry ${job.matching} deliveries now?` }).waitFor()
    expect(await faults(page)).toEqual([])
    await scene.go(`applications/${shop.crm.applicationId}`)
    await page.getByRole('button', { name: 'Erase the application' }).click()
    await page.getByRole('dialog', { name: 'Erase Acme Shop?' }).waitFor()
    expect(await faults(page)).toEqual([])
  })

  test('the help, the palette and the choices of a combobox are drawn, without a complaint of axe', limit, async () => {
    const { page } = scene
    await scene.go('dead-letters')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('acme')
    await page.getByRole('group', { name: 'Endpoints' }).waitFor()
    expect(await faults(page)).toEqual([])
    await scene.go('dead-letters')
    await page.keyboard.press('f')
    await page.keyboard.type('acme')
    await page.getByRole('option', { name: 'crm.acme.example' }).waitFor()
    expect(await faults(page)).toEqual([])
  })

  test('forms are drawn, without a complaint of axe', limit, async () => {
    const { page } = scene
    await scene.go('endpoints')
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByRole('dialog', { name: 'Add an endpoint' }).waitFor()
    expect(await faults(page)).toEqual([])
    await scene.go('event-types/invoice.paid')
    await page.getByLabel('Schema', { exact: true }).fill('{"type": "text"}')
    await page.getByRole('button', { name: 'Go to line 1, column 10' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog', { name: 'Edit invoice.paid' }).waitFor()
    expect(await faults(page)).toEqual([])
  })

  test('what is folded away is drawn too, without a complaint of axe', limit, async () => {
    const { page } = scene
    for (const path of ['', `deliveries/${shop.failed}`]) {
      await scene.go(path)
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect(await faults(page)).toEqual([])
    }
  })
})

test('on a phone no page and no table scrolls sideways, and the menu leads around', limit, async () => {
  const scene = await stage.open(busy, { viewport: { width: 390, height: 844 } })
  for (const [, path] of pages) {
    await scene.go(path())
    expect(await scene.page.evaluate<number>('document.documentElement.scrollWidth'), path()).toBe(390)
    expect(
      await scene.page.evaluate<string[]>(
        '[...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)',
      ),
      path(),
    ).toEqual([])
  }
  await scene.page.getByRole('button', { name: 'Menu' }).click()
  await scene.page.getByRole('link', { name: 'Dead letters' }).click()
  await scene.page.getByRole('heading', { name: 'Dead letters' }).waitFor()
  expect(await scene.page.getByRole('link', { name: 'Dead letters' }).isVisible()).toBe(false)
})

test('no page jumps when its data comes', limit, async () => {
  const { page, close } = await stage.open(busy, { reducedMotion: 'no-preference' })
  await page.addInitScript(`globalThis.shifts = []
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) for (const { node } of entry.sources) globalThis.shifts.push((node?.outerHTML ?? node?.parentElement?.outerHTML ?? 'gone').slice(0, 120))
}).observe({ type: 'layout-shift', buffered: true })`)
  for (const [, path] of pages) {
    const data = gate()
    await page.route(/api\/v1\/(?!session)/, async (route) => {
      await data.opened
      await route.continue()
    })
    await page.goto(busy.url + path())
    await page.locator('h1').waitFor()
    await twoFrames(page)
    data.open()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await twoFrames(page)
    expect(await page.evaluate<string[]>('globalThis.shifts'), path()).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
  }
  await close()
})

test('nothing moves for whoever asks for less motion', limit, async () => {
  const { page, close } = await stage.open(busy)
  const motions = async (): Promise<number> => {
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    const running = await page.evaluate<number>('document.getAnimations().length')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
    return running
  }
  // Slow enough to be seen, if it is there.
  await page.evaluate('document.documentElement.style.setProperty("--quick", "60s")')
  expect(await motions()).toBe(0)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await motions()).toBeGreaterThan(0)
  await close()
})

/** Something that waits until it is let go. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const events = new EventTarget()
  const opened = new Promise<void>((resolve) => events.addEventListener('open', () => resolve(), { once: true }))
  return { opened, open: () => void events.dispatchEvent(new Event('open')) }
}

/** Until what has changed is drawn. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

test('a theme that was chosen wins over that of the system, and is remembered', limit, async () => {
  const scene = await stage.open(busy, { colorScheme: 'light' })
  const background = (): Promise<string> =>
    scene.page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  const light = await background()
  await scene.page.getByLabel('Theme').selectOption('Dark')
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await scene.page.reload()
  await expect.poll(background).toBe(dark)
})
