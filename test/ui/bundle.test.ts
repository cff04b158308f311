import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtPackage } from '../cli/built.ts'

const built = builtPackage({ dashboard: true })
const bundles = [
  { name: 'operator', page: 'index.html', mostBytes: 120_000 },
  { name: 'portal', page: 'portal.html', mostBytes: 60_000 },
]

/** Every file that a page loads: what it names, and what that names in turn. */
function filesOf(page: string): string[] {
  const assets = readdirSync(built.path('ui/assets'))
  const found = new Set([page])
  for (const file of found) {
    const text = readFileSync(built.path(`ui/${file}`), 'utf8')
    for (const asset of assets) if (text.includes(asset)) found.add(`assets/${asset}`)
  }
  return [...found]
}

test('each bundle stays under its limit', () => {
  const there = bundles.filter(({ page }) => existsSync(built.path(`ui/${page}`)))
  const sizes = there.map(({ page }) =>
    filesOf(page).reduce((sum, file) => sum + gzipSync(readFileSync(built.path(`ui/${file}`))).length, 0),
  )
  const said = there.map(({ name }, index) => `${name} ${Math.ceil((sizes[index] ?? 0) / 1000)} kB`)
  console.log(`bundle ${said.join(' ')} gzip`)
  expect(there.length).toBeGreaterThan(0)
  for (const [index, { name, page, mostBytes }] of there.entries()) {
    expect(filesOf(page).length, name).toBeGreaterThan(2)
    expect(sizes[index], name).toBeLessThan(mostBytes)
  }
})
