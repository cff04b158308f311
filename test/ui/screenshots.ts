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
const all: readonly (readonly [name: string, path: (shop: Shop, ids: Ids) => string])[] = [
  ['overview', () => ''],
  ['messages', () => 'messages'],
  ['message', (_, { messageId }) => `messages/${messageId}`],
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
  ['job', (_, { jobId }) => `jobs/${jobId}`],
  ['tail', () => 'tail'],
  ['event-types', () => 'event-types'],
  ['event-type', () => 'event-types/invoice.paid'],
  ['audit', () => 'audit'],
  ['settings', () => 'settings'],
  ['api', () => 'api#v1.message.create'],
]
// What a customer of the shop sees, with a key of its own.
const portal: typeof all = [
  ['portal-endpoints', () => 'portal'],
  ['portal-endpoint', ({ crm }) => `portal/endpoints/${crm.id}`],
  ['portal-messages', () => 'portal/messages'],
  ['portal-message', (_, { messageId }) => `portal/messages/${messageId}`],
  ['portal-events', () => 'portal/events'],
  ['portal-test', () => 'portal/test'],
  ['portal-logs', ({ crm }) => `portal/logs?endpoint=${crm.id}`],
]
/** What is known only once the shop is kept. */
interface Ids {
  readonly messageId: string
  readonly jobId: string
}
const themes = ['light', 'dark'] as const
const widths = [1280, 390]

test('every picture is taken of a real server with real data', { timeout: 600_000 }, async () => {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  const shop = await keepShop(stage.file('shop.db'))
  // Within this process, so that the hour's clock stands still and its worker is alive.
  const front = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  front.serve(handler(shop.posthorn, { adminKey }), async () => undefined)
  const { token } = await shop.posthorn.keys.create({ name: 'Acme', application: 'acme' })
  const { messageId } = await shop.posthorn.deliveries.get(shop.dead)
  const [job] = await shop.posthorn.jobs.list()
  const ids = { messageId, jobId: job?.id ?? '' }
  const views = widths.flatMap((width) => themes.map((theme) => [theme, width] as const))
  mkdirSync(look, { recursive: true })
  // One sign-in for each: more within a second would be refused, and this hour's clock stands still.
  for (const [colorScheme, width] of views) {
    const viewport = { width, height: width === 390 ? 840 : 800 }
    const { page, complaints, go, close } = await stage.open({ url: `${front.url}/` }, { colorScheme, viewport })
    const kept = shots.filter(([, , theme, wide]) => theme === colorScheme && wide === width)
    for (const [name, path] of kept) {
      await go(path(shop))
      await page.screenshot({ path: join(folder, `${name}.png`) })
    }
    for (const [name, path] of all) {
      await go(path(shop, ids))
      await page.screenshot({ path: join(look, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
    expect(complaints).toEqual([])
    await close()
    const customer = await stage.open({ url: `${front.url}/` }, { colorScheme, viewport, key: token, path: 'portal' })
    for (const [name, path] of portal) {
      await customer.go(path(shop, ids))
      await customer.page.screenshot({ path: join(look, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
    expect(customer.complaints).toEqual([])
    await customer.close()
  }
  await front.close()
  await shop.posthorn.stop()
})
