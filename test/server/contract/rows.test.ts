import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test.each([
  ['The same', 'same'],
  ['Different', 'different'],
])('each row of the table "%s" has a test of its name', (heading, file) => {
  const page = read('docs/svix.md')
  const table = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, name]) => name).slice(1)
  const titles = [...read(`test/server/contract/${file}.test.ts`).matchAll(/^ {2}test\((['"])(.+?)\1, async/gm)].map(
    ([, , title]) => title,
  )
  expect(rows.length).toBeGreaterThan(5)
  expect(titles).toEqual(rows)
})

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}
