import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startBrowser } from '../../scripts/browser.js'

/** A browser for the tests of one file, from their start to their end. `browser-setup.ts` looks for who imports this. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await startBrowser()
  }, 120_000)
  afterAll(() => browser?.close())
  return () => {
    if (browser === undefined) throw new Error('Expected the browser to be used within a test.')
    return browser
  }
}
