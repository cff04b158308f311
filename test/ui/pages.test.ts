import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useStage } from './stage.ts'
import type { Scene } from './stage.ts'
import { busyWorld, emptyWorld } from './world.ts'

const stage = useStage()
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const themes = ['light', 'dark'] as const
const world = busyWorld()
const failed = world.deliveries.find(({ status }) => status === 'failed')!
const delivered = world.deliveries.find(({ status }) => status === 'delivered')!

const pages = [
  ['overview', '', 'Overview'],
  ['deliveries', 'deliveries?status=failed&status=dead&endpoint=ep_5Kc3pLz9', 'Deliveries'],
  ['a delivery that is retried', `deliveries/${failed.id}`, failed.eventType],
  ['a delivery that arrived', `deliveries/${delivered.id}`, delivered.eventType],
  ['dead letters', 'dead-letters', 'Dead letters'],
  ['endpoints', 'endpoints', 'Endpoints'],
  ['an endpoint', 'endpoints/ep_5Kc3pLz9', 'gateway.northwind.example/webhooks/ledger'],
  ['jobs', 'jobs', 'Jobs'],
  ['a job', 'jobs/job_2Lm7', 'Retry now: 12,480 deliveries'],
  ['live tail', 'tail', 'Live tail'],
  ['event types', 'event-types', 'Event types'],
  ['audit', 'audit', 'Audit'],
  ['settings', 'settings', 'Settings'],
  ['no page', 'nowhere', 'There is no such page'],
  ['an address that cannot be decoded', '%E0%A4%A', 'There is no such page'],
] as const

const empties = [
  ['', 'Nothing was sent in this time'],
  ['deliveries', 'No deliveries yet'],
  ['endpoints', 'No endpoints yet'],
  ['dead-letters', 'No dead letters'],
  ['jobs', 'No bulk work yet'],
  ['event-types', 'No event types are declared'],
  ['audit', 'Nothing was done by hand yet'],
] as const

const limit = { timeout: 60_000 }
let violations = 0
let checked = 0
afterAll(() => console.log(`axe ${violations} violations on ${checked / themes.length} pages × ${themes.length} themes`))

/** What axe-core has against the page as it stands, in words. */
async function faults(page: Page): Promise<string[]> {
  // Through the debugger, because the page's own policy refuses foreign scripts, as it should.
  await page.evaluate(axeSource)
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>('axe.run(document, { resultTypes: ["violations"] })')
  checked += 1
  violations += found.violations.length
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

describe.each(themes)('in the %s theme', (colorScheme) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await stage.open(busyWorld(), { colorScheme })
  })
  beforeEach(() => {
    scene.server.world = busyWorld()
    scene.complaints.length = 0
  })

  test.each(pages)('%s is drawn, without a complaint of the browser or of axe', limit, async (_, path, title) => {
    await scene.go(path)
    expect(await scene.page.locator('h1').textContent()).toBe(title)
    expect(await faults(scene.page)).toEqual([])
    expect(scene.complaints).toEqual([])
  })

  test.each(empties)('an empty server teaches at /%s: %s', limit, async (path, words) => {
    scene.server.world = emptyWorld()
    await scene.go(path)
    expect(await scene.page.getByText(words).isVisible()).toBe(true)
    expect(await faults(scene.page)).toEqual([])
  })

  test('the door is drawn, without a complaint of axe', limit, async () => {
    scene.server.world.session = null
    await scene.go('')
    expect(await scene.page.getByLabel('API key').isVisible()).toBe(true)
    expect(await faults(scene.page)).toEqual([])
  })

  test('questions, forms and the help are drawn, without a complaint of axe', limit, async () => {
    const { page } = scene
    await scene.go('dead-letters')
    await page.getByRole('button', { name: 'Retry all 15 matching' }).click()
    await page.getByRole('dialog', { name: 'Retry 15 deliveries now?' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(await faults(page)).toEqual([])
    await scene.go('endpoints')
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByRole('dialog', { name: 'Add an endpoint' }).waitFor()
    expect(await faults(page)).toEqual([])
  })

  test('what is folded away is drawn too, without a complaint of axe', limit, async () => {
    const { page } = scene
    for (const path of ['', `deliveries/${failed.id}`, 'event-types']) {
      await scene.go(path)
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect(await faults(page)).toEqual([])
    }
  })
})

test('on a phone no page scrolls sideways, and the menu leads around', limit, async () => {
  const scene = await stage.open(busyWorld(), { viewport: { width: 390, height: 844 } })
  for (const [, path] of pages) {
    await scene.go(path)
    expect(await scene.page.evaluate<number>('document.documentElement.scrollWidth'), path).toBe(390)
  }
  await scene.page.getByRole('button', { name: 'Menu' }).click()
  await scene.page.getByRole('link', { name: 'Dead letters' }).click()
  await scene.page.getByRole('heading', { name: 'Dead letters' }).waitFor()
  expect(await scene.page.getByRole('link', { name: 'Dead letters' }).isVisible()).toBe(false)
})

test('a theme that was chosen wins over that of the system, and is remembered', limit, async () => {
  const scene = await stage.open(busyWorld(), { colorScheme: 'light' })
  const background = (): Promise<string> => scene.page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  const light = await background()
  await scene.page.getByLabel('Theme').selectOption('Dark')
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await scene.page.reload()
  await expect.poll(background).toBe(dark)
})

test('the bundle stays under 100 kB', () => {
  console.log(`bundle ${Math.ceil(stage.built.gzipBytes / 1000)} kB gzip`)
  expect(stage.built.gzipBytes).toBeLessThan(100_000)
})
