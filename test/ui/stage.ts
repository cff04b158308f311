import { afterAll, beforeAll } from 'vitest'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startBrowser } from './browser.ts'
import { buildDashboard } from './dashboard.ts'
import type { BuiltDashboard } from './dashboard.ts'
import { serveDashboard } from './development-server.ts'
import type { DevelopmentServer } from './development-server.ts'
import { busyWorld } from './world.ts'
import type { World } from './world.ts'

/** A built dashboard and a browser for the tests of one file. */
export interface Stage {
  readonly built: BuiltDashboard
  readonly browser: Browser
  /** Serves a world and opens a page of it; everything that the browser complains of is kept. */
  open(world?: World, options?: BrowserContextOptions & { basePath?: string; path?: string }): Promise<Scene>
}

export interface Scene {
  readonly page: Page
  readonly server: DevelopmentServer
  /** Errors of the console and of scripts: a refused script or style is among them. */
  readonly complaints: string[]
  go(path: string): Promise<void>
  close(): Promise<void>
}

export function useStage(): Stage {
  let built: BuiltDashboard | undefined
  let browser: Browser | undefined
  const scenes = new Set<Scene>()

  beforeAll(async () => {
    built = await buildDashboard()
    browser = await startBrowser()
  }, 120_000)

  afterAll(async () => {
    for (const scene of scenes) await scene.close()
    await browser?.close()
    built?.remove()
  })

  return {
    get built() {
      return there(built)
    },
    get browser() {
      return there(browser)
    },
    async open(world = busyWorld(), { basePath = '/', path = '', ...options } = {}) {
      const server = await serveDashboard(there(built).folder, world, basePath)
      const context = await there(browser).newContext({ viewport: { width: 1280, height: 900 }, ...options })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      const scene: Scene = {
        page, server, complaints,
        async go(to) {
          await page.goto(server.url + to)
          await settled(page)
        },
        async close() {
          scenes.delete(scene)
          await context.close()
          await server.close()
        },
      }
      scenes.add(scene)
      await scene.go(path)
      return scene
    },
  }
}

/** Until the page has drawn what it read. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Expected the stage to be set; it is only within a test.')
  return value
}
