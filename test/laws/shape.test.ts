import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'
import { namesAtRoot, strays } from './root.ts'
import { crowdedFolders, cycles, importGraph, importTable, strayImports, unusedRows } from './shape.ts'
import { readTree } from './source.ts'

const mostFiles = 14
const tree = readTree(join(root, 'src'))
const graph = importGraph(tree)
const table = importTable(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))
const kept: string[] = []

afterAll(() => console.log(kept.join(', ')))

test('no folder has more files than a reader takes in at once', () => {
  expect(crowdedFolders(tree, mostFiles)).toEqual([])
  kept.push(`folders ≤ ${mostFiles} files`)
})

test('no function is longer than a screen', () => {
  const rule = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as {
    readonly rules: Record<string, unknown>
  }
  expect(rule.rules['eslint/max-lines-per-function']).toMatchObject(['error', { max: 50 }])
  const linter = join(root, 'node_modules/oxlint/bin/oxlint')
  expect(execFileSync(process.execPath, [linter, 'src'], { cwd: root, encoding: 'utf8' })).toContain('0 errors')
  kept.push('functions ≤ 50 lines')
})

test('no file imports itself by way of others', () => {
  expect(cycles(graph)).toEqual([])
  kept.push('cycles 0')
})

test('folders import what the table of docs/architecture.md says, and all of that', () => {
  expect([...table.keys()].toSorted()).toEqual(
    [...new Set(tree.map(({ path }) => path.split('/', 1)[0] ?? ''))].toSorted(),
  )
  expect(strayImports(graph, table)).toEqual([])
  expect(unusedRows(graph, table)).toEqual([])
  kept.push('imports as in the table')
})

test('only what is listed is at the root of the project', () => {
  expect(strays(namesAtRoot())).toEqual([])
  kept.push('root as listed')
})

test('a crowd, a cycle, a stray import and an unused row are found', () => {
  const bad = [
    { path: 'core/a.ts', text: "import type { B } from './b.ts'" },
    { path: 'core/b.ts', text: "import { a } from '../engine/c.ts'" },
    { path: 'engine/c.ts', text: "export { a } from '../core/a.ts'" },
  ]
  const found = importGraph(bad)
  expect(crowdedFolders(bad, 1)).toEqual(['core: 2'])
  expect(cycles(found)).toEqual(['core/a.ts → core/b.ts → engine/c.ts → core/a.ts'])
  const allowed = importTable(
    '| folder | imports |\n|---|---|\n| `core` | |\n| `engine` | `core`, `ui` |\n\nAnd so on.',
  )
  expect(strayImports(found, allowed)).toEqual(['core/b.ts imports engine/c.ts'])
  expect(unusedRows(found, allowed)).toEqual(['engine ui'])
})
