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

test('every picture is taken of a real server with real data', { timeout: 120_000 }, async () => {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  const shop = await keepShop(stage.file('shop.db'))
  // Within this process, so that the hour's clock stands still and its worker is alive.
  const front = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  front.serve(handler(shop.posthorn, { adminKey }), async () => undefined)
  for (const [name, path, colorScheme, width] of shots) {
    const viewport = { width, height: width === 390 ? 840 : 800 }
    const { page, complaints, close } = await stage.open(
      { url: `${front.url}/` },
      { colorScheme, viewport, path: path(shop) },
    )
    await page.screenshot({ path: join(folder, `${name}.png`) })
    expect(complaints).toEqual([])
    await close()
  }
  await front.close()
  await shop.posthorn.stop()
})
