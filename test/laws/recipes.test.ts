import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'

const recipes = recipesIn(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))

test('there is a recipe for a setting, a route, a migration and a page', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'How to add a setting',
    'How to add a route',
    'How to add a migration',
    'How to add a page',
  ])
})

test.each(recipes)('$title: five steps, and all that they name exists', ({ steps }) => {
  expect(steps).toHaveLength(5)
  expect(steps.flatMap(missingIn)).toEqual([])
})

describe('missingIn', () => {
  test.each([
    ['Add it to `settings` in `src/config/settings.ts`.', []],
    ['Write it in `src/config`.', []],
    ['Add it to `settings` in `src/config.ts`.', ['src/config.ts']],
    ['Add it to `fittings` in `src/config/settings.ts`.', ['`fittings` in src/config/settings.ts']],
    ['Add a sentence to `NOTES.md`, and run `npm run docs`.', ['NOTES.md']],
  ])('%s', (step, missing) => {
    expect(missingIn(step)).toEqual(missing)
  })
})

interface Recipe {
  readonly title: string
  readonly steps: readonly string[]
}

/** The chapters below "Recipes", each with its numbered lines. */
function recipesIn(page: string): Recipe[] {
  const chapter = /^## Recipes\n([^]*?)(?=^## )/m.exec(page)?.[1] ?? ''
  return chapter
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...lines] = text.split('\n')
      return { title, steps: lines.filter((line) => /^\d\. /.test(line)) }
    })
}

/** The files and folders that a step names and that are not there, and names that are not in the file where they should be. */
function missingIn(step: string): string[] {
  const paths = [...step.matchAll(/`([\w./-]+(?:\/[\w.-]+|\.md))`/g)].map(([, path = '']) => path)
  const named = [...step.matchAll(/`(\w+)` in `([\w./-]+)`/g)].map(([, name = '', path = '']) => ({ name, path }))
  const absent = paths.filter((path) => !existsSync(join(root, path)))
  const unknown = named.filter(
    ({ name, path }) => isFile(path) && !new RegExp(`\\b${name}\\b`).test(readFileSync(join(root, path), 'utf8')),
  )
  return [...absent, ...unknown.map(({ name, path }) => `\`${name}\` in ${path}`)]
}

function isFile(path: string): boolean {
  return existsSync(join(root, path)) && statSync(join(root, path)).isFile()
}
