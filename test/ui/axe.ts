import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core has against the page as it stands, in words, in each theme. */
export async function axeFaults(page: Page, themes: readonly ('light' | 'dark')[]): Promise<string[]> {
  // Through the debugger, because the page's own policy refuses foreign scripts, as it should.
  await page.evaluate(source)
  const all: string[] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate<{
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
    }>('axe.run(document, { resultTypes: ["violations"] })')
    all.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${colorScheme} ${id}: ${html} ${failureSummary}`),
      ),
    )
  }
  return all
}
