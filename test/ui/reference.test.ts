import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'
import type { Scene } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server

beforeAll(async () => {
  server = await stage.serve({ delivers: false })
}, 120_000)

/** Without a key: the description is for everybody. */
async function open(path = 'api', options: Parameters<typeof stage.open>[1] = {}): Promise<Scene> {
  return stage.open(server, { key: null, path, ...options })
}

test('the navigation of the dashboard leads to it, and it leads back', limit, async () => {
  const { page, complaints, close } = await stage.open(server)
  await page.getByRole('link', { name: 'API reference' }).click()
  await page.getByRole('heading', { name: 'Posthorn API', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

test('a link to an operation unfolds it, with a command for this very server', limit, async () => {
  const { page, complaints, close } = await open('api#v1.message.create')
  const operation = page.locator('[id="v1.message.create"]')
  expect(await operation.getAttribute('open')).not.toBeNull()
  expect(await operation.locator('.method').textContent()).toBe('POST')
  const command = await page.getByRole('region', { name: 'curl for v1.message.create' }).textContent()
  expect(command).toContain(`curl "${server.url}api/v1/app/acme/msg"`)
  expect(command).toContain('"eventType": "invoice.paid"')
  expect(await page.getByRole('region', { name: 'Answer 202 of v1.message.create' }).isVisible()).toBe(true)
  await operation.getByRole('link', { name: '422' }).click()
  expect(await page.locator('[id="error-422"]').isVisible()).toBe(true)
  await page.locator('[id="v1.key.create"] summary').click()
  expect(page.url()).toBe(`${server.url}api#v1.key.create`)
  expect(complaints).toEqual([])
  await close()
})

test('a command is copied whole', limit, async () => {
  const { page, close } = await open('api#v1.health.ping', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.locator('[id="v1.health.ping"]').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`curl "${server.url}api/v1/health/ping"`)
  await close()
})

test('typing leaves only the operations with those words, and says how many', limit, async () => {
  const { page, close } = await open()
  await page.keyboard.press('/')
  await page.keyboard.type('delivery requeue')
  await page.getByText('1 operation', { exact: true }).waitFor()
  expect(await page.locator('.operation:visible').count()).toBe(1)
  expect(await page.getByRole('heading', { name: 'Schemas' }).isVisible()).toBe(false)
  await page.getByLabel('Filter operations').fill('no such thing')
  await page.getByText('No operation has “no such thing”').waitFor()
  await page.getByLabel('Filter operations').fill('')
  expect(await page.getByRole('heading', { name: 'Schemas' }).isVisible()).toBe(true)
  await close()
})

test('on a phone the sections are behind a button, and nothing scrolls sideways', limit, async () => {
  const { page, close } = await open('api#v1.endpoint.create', { viewport: { width: 390, height: 844 } })
  const section = page.getByRole('link', { name: 'Event types' })
  expect(await section.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await section.click()
  expect(await section.isVisible()).toBe(false)
  expect(page.url()).toBe(`${server.url}api#event-types`)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await close()
})

test('axe has nothing against it, in both themes and at both widths', limit, async () => {
  const { page, close } = await open('api#v1.endpoint.create')
  // A hundred operations are alike: three of them, one unfolded, stand for all, or axe would take a minute.
  await page.evaluate(`for (const all of document.querySelectorAll('section > .panel')) {
  for (const each of [...all.querySelectorAll('details:not([open])')].slice(2)) each.remove()
}`)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await axeFaults(page, ['light', 'dark'])).toEqual([])
  }
  await close()
})

test('it asks nobody else, and stays small', limit, async () => {
  const { page, go, close } = await open()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await go('api?again')
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([])
  expect(gzipSync(await page.content()).length).toBeLessThan(48_000)
  await close()
})
