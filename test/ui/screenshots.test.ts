import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { useStage } from './stage.ts'
import { busyWorld } from './world.ts'

const stage = useStage()
const root = fileURLToPath(new URL('../..', import.meta.url))
// Those of the documents are made with POSTHORN_SCREENSHOTS=docs/screenshots.
const folder = join(root, process.env['POSTHORN_SCREENSHOTS'] ?? '.test/screenshots')
const world = busyWorld()
const failed = world.deliveries.find(({ status }) => status === 'failed')!

const shots = [
  ['overview-light', '', 'light', 1280],
  ['overview-dark', '', 'dark', 1280],
  ['overview-phone', '', 'light', 390],
  ['deliveries-light', 'deliveries', 'light', 1280],
  ['delivery-dark', `deliveries/${failed.id}`, 'dark', 1280],
  ['delivery-phone', `deliveries/${failed.id}`, 'dark', 390],
  ['dead-letters-light', 'dead-letters', 'light', 1280],
  ['endpoints-dark', 'endpoints', 'dark', 1280],
  ['endpoint-light', 'endpoints/ep_5Kc3pLz9', 'light', 1280],
  ['job-light', 'jobs/job_2Lm7', 'light', 1280],
  ['settings-light', 'settings', 'light', 1280],
] as const

test.each(shots)('%s has its picture taken', { timeout: 60_000 }, async (name, path, colorScheme, width) => {
  mkdirSync(folder, { recursive: true })
  const { page, close } = await stage.open(world, { colorScheme, viewport: { width, height: width === 390 ? 844 : 900 }, path })
  const file = join(folder, `${name}.png`)
  await page.screenshot({ path: file })
  expect(statSync(file).size).toBeGreaterThan(10_000)
  await close()
})
