import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { handler } from 'posthorn/server'
import { systemClock } from '../../src/clock.ts'
import { startHttpServer } from '../../src/server/http/http-server.ts'
import { keepShop } from './shop.ts'
import type { Shop } from './shop.ts'
import { adminKey, useStage } from './stage.ts'

// Not among the tests: `npm run screenshots` makes the pictures of the documents with it.
const stage = useStage()
const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url))
const look = fileURLToPath(new URL('../../.test/screenshots/', import.meta.url))

const shots: readonly (readonly [
  name: string,
  path: (shop: Shop) => string,
  colorScheme: 'light' | 'dark',
  width: number,
])[] = [
  ['overview-light', () => '', 'light', 1280],
  ['delivery-dark', ({ failed }) => `deliveries/${failed}`, 'dark', 1280],
  ['dead-letters-light', () => 'dead-letters', 'light', 1280],
  ['overview-phone', () => '', 'dark', 390],
]

// Looked at by people, not kept: every page in both themes, on a desk and on a phone.
const all: readonly (readonly [name: string, path: (shop: Shop) => string])[] = [
  ['overview', () => ''],
  ['messages', () => 'messages'],
  ['send', () => 'messages/send?application=acme&event_type=invoice.paid'],
  ['deliveries', () => 'deliveries'],
  ['delivery-failed', ({ failed }) => `deliveries/${failed}`],
  ['delivery-delivered', ({ delivered }) => `deliveries/${delivered}`],
  ['delivery-dead', ({ dead }) => `deliveries/${dead}`],
  ['dead-letters', () => 'dead-letters'],
  ['applications', () => 'applications'],
  ['application', ({ crm }) => `applications/${crm.applicationId}`],
  ['endpoints', () => 'endpoints'],
  ['endpoint', ({ crm }) => `endpoints/${crm.id}`],
  ['endpoint-deliveries', ({ crm }) => `endpoints/${crm.id}?tab=deliveries`],
  ['endpoint-settings', ({ crm }) => `endpoints/${crm.id}?tab=settings`],
  ['endpoint-security', ({ crm }) => `endpoints/${crm.id}?tab=security`],
  ['jobs', () => 'jobs'],
  ['tail', () => 'tail'],
  ['event-types', () => 'event-types'],
  ['audit', () => 'audit'],
  ['settings', () => 'settings'],
]
const themes = ['light', 'dark'] as const
const widths = [1280, 390]

test('every picture is taken of a real server with real data', { timeout: 600_000 }, async () => {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  const shop = await keepShop(stage.file('shop.db'))
  // Within this process, so that the hour's clock stands still and its worker is alive.
  const front = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  front.serve(handler(shop.posthorn, { adminKey }), async () => undefined)
  const shoot = async (file: string, path: string, colorScheme: 'light' | 'dark', width: number): Promise<void> => {
    const viewport = { width, height: width === 390 ? 840 : 800 }
    const { page, complaints, close } = await stage.open({ url: `${front.url}/` }, { colorScheme, viewport, path })
    await page.screenshot({ path: file })
    expect(complaints).toEqual([])
    await close()
  }
  for (const [name, path, colorScheme, width] of shots)
    await shoot(join(folder, `${name}.png`), path(shop), colorScheme, width)
  mkdirSync(look, { recursive: true })
  for (const [name, path] of all)
    for (const theme of themes)
      for (const width of widths) await shoot(join(look, `${name}-${theme}-${width}.png`), path(shop), theme, width)
  await front.close()
  await shop.posthorn.stop()
})
