import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { builtPackage } from '../cli/built.ts'
import { useBrowser } from './browser.ts'
import { startServer } from './server.ts'
import type { Server, ServerOptions } from './server.ts'

/** The built package and a browser, for the tests of one file. */
export interface Stage {
  readonly browser: Browser
  /** A path in the built package. */
  built(file: string): string
  /** A path for a file that is gone at the end. */
  file(name: string): string
  /** `posthorn serve`, as its users run it. */
  serve(options?: ServerOptions): Promise<Server>
  /** Opens a page of it, signed in unless said otherwise; everything that the browser complains of is kept. */
  open(
    server: Pick<Server, 'url'>,
    options?: BrowserContextOptions & { path?: string; key?: string | null },
  ): Promise<Scene>
}

export interface Scene {
  readonly page: Page
  /** Errors of the console and of scripts: a refused script or style is among them. */
  readonly complaints: string[]
  go(path: string): Promise<void>
  close(): Promise<void>
}

export const adminKey = 'an-admin-key-of-the-test'

export function useStage(): Stage {
  const built = builtPackage({ dashboard: true })
  const endings: (() => Promise<void> | void)[] = []
  let folder: string | undefined

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-ui-'))
  })

  afterAll(async () => {
    for (const end of endings.toReversed()) await end()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })
  // Last, so that it is closed first.
  const browser = useBrowser()

  return {
    get browser() {
      return browser()
    },
    built: (file) => built.path(file),
    file: (name) => join(there(folder), name),
    serve(options = {}) {
      const database = options.database ?? join(mkdtempSync(join(there(folder), 'server-')), 'posthorn.db')
      return startServer(built.path('cli/main.js'), adminKey, { ...options, database }, (end) => endings.push(end))
    },
    async open(server, { path = '', key = adminKey, ...options } = {}) {
      const context = await browser().newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      })
      if (key !== null) {
        const answer = await context.request.post(`${server.url}api/v1/session`, { data: { key } })
        if (answer.status() !== 204)
          throw new Error(`Expected to be signed in, got ${answer.status()} ${await answer.text()}`)
      }
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      async function go(to: string): Promise<void> {
        await page.goto(server.url + to)
        await settled(page)
      }
      await go(path)
      return { page, complaints, go, close: () => context.close() }
    },
  }
}

/** Until the page has drawn what it read. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Expected the stage to be set; it is only within a test.')
  return value
}
