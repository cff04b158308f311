import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { unpackBrowser } from '../scripts/browser.js'
import { leadsTo } from './leads-to.ts'

/** Unpacks Chromium before any test starts it: a process that finds the file half written by another would try to run it. */
export async function setup({ vitest }: TestProject): Promise<void> {
  const browser = join(import.meta.dirname, 'ui', 'browser.ts')
  if (vitest.state.getPaths().some((file) => leadsTo(browser, file))) await unpackBrowser()
}
