import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtPackage } from '../cli/built.ts'

const built = builtPackage({ dashboard: true })
const limits = { operator: 120_000, portal: 60_000 }

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

function gzipBytes(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(built.path(`ui/${file}`))).length, 0)
}

test('both bundles stay under their limits', () => {
  const [operator, portal] = [gzipBytes(filesOf('index.html')), gzipBytes(filesOf('portal.html'))]
  console.log(`bundle operator ${Math.ceil(operator / 1000)} kB portal ${Math.ceil(portal / 1000)} kB gzip`)
  expect(filesOf('portal.html').length).toBeGreaterThan(3)
  expect(operator).toBeLessThan(limits.operator)
  expect(portal).toBeLessThan(limits.portal)
})

// What only operators have: routes of the API, pages, and the words for how the server works inside.
const operatorsOnly = [
  'audit',
  'breaker',
  'dead-letter',
  'dead letter',
  'delivery/',
  'heldUntil',
  'job',
  'lease',
  'overview',
  'requeue',
  'stream',
  'Live tail',
  'worker',
  'app-portal-access',
  'applicationName',
  'ratePerSecond',
]

test("nothing of the operators is in the portal's bundle", () => {
  const scripts = filesOf('portal.html').filter((file) => file.endsWith('.js'))
  const text = scripts.map((file) => readFileSync(built.path(`ui/${file}`), 'utf8')).join('\n')
  expect(text).toContain('send-example')
  expect(operatorsOnly.filter((word) => text.includes(word))).toEqual([])
  // The words are right: the operators' bundle has most of them.
  const operators = filesOf('index.html').map((file) => readFileSync(built.path(`ui/${file}`), 'utf8'))
  expect(operatorsOnly.filter((word) => operators.some((each) => each.includes(word))).length).toBeGreaterThan(10)
})

test("the portal's sources import nothing of the operators' pages", () => {
  const folder = fileURLToPath(new URL('../../src/ui/portal', import.meta.url))
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  expect(sources.length).toBeGreaterThan(15)
  expect(sources.filter((name) => /from '[^']*operator\//.test(readFileSync(join(folder, name), 'utf8')))).toEqual([])
})
