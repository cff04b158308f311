import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { useStage } from './stage.ts'
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
] as const

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
  test.each(pages)('%s is drawn, without a complaint of the browser or of axe', { timeout: 60_000 }, async (_, path, title) => {
    const scene = await stage.open(busyWorld(), { colorScheme, path })
    expect(await scene.page.locator('h1').textContent()).toBe(title)
    expect(await faults(scene.page)).toEqual([])
    expect(scene.complaints).toEqual([])
    await scene.close()
  })

  test.each(['', 'deliveries', 'endpoints', 'dead-letters', 'jobs', 'event-types', 'audit'])('an empty server teaches at /%s', { timeout: 60_000 }, async (path) => {
    const scene = await stage.open(emptyWorld(), { colorScheme, path })
    expect(await faults(scene.page)).toEqual([])
    await scene.close()
  })

  test('the door is drawn, without a complaint of axe', { timeout: 60_000 }, async () => {
    const scene = await stage.open({ ...busyWorld(), session: null }, { colorScheme })
    expect(await scene.page.getByLabel('API key').isVisible()).toBe(true)
    expect(await faults(scene.page)).toEqual([])
    await scene.close()
  })

  test('a question and the help are drawn, without a complaint of axe', { timeout: 60_000 }, async () => {
    const scene = await stage.open(busyWorld(), { colorScheme, path: 'dead-letters' })
    await scene.page.getByRole('button', { name: 'Retry all 15 matching' }).click()
    await scene.page.getByRole('dialog', { name: 'Retry 15 deliveries now?' }).waitFor()
    expect(await faults(scene.page)).toEqual([])
    await scene.page.keyboard.press('Escape')
    await scene.page.keyboard.press('?')
    await scene.page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(await faults(scene.page)).toEqual([])
    await scene.close()
  })
})

test.each(pages)('at the width of a phone %s does not scroll sideways', { timeout: 60_000 }, async (_, path) => {
  const scene = await stage.open(busyWorld(), { viewport: { width: 390, height: 844 }, path })
  expect(await scene.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  await scene.close()
})

test('the bundle stays under 100 kB', () => {
  console.log(`bundle ${Math.ceil(stage.built.gzipBytes / 1000)} kB gzip`)
  expect(stage.built.gzipBytes).toBeLessThan(100_000)
})
