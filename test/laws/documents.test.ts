import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pagesOf } from '../../scripts/docs-check/pages.js'
import { readSpec, root } from '../acceptance/files.ts'
import { idsOf } from '../acceptance/spec-index.ts'
import { invariants } from '../simulation/invariants/all.ts'

const pages = ['CONTRIBUTING.md', 'SECURITY.md', ...pagesOf(root)]
/** Files of a reader's own that pages tell of. */
const readersOwn = new Set(['posthorn.json', 'tracing.js', 'app/hooks/route.js'])
/** What a page about the engine may leave out of a path. */
const folders = [
  '',
  'src',
  'src/core',
  'src/engine',
  'src/engine/upkeep',
  'src/stores',
  'src/transport',
  'docs',
  'test/simulation/scenarios',
]

test('docs/guarantees.md names every invariant of the simulation', () => {
  const page = textOf('docs/guarantees.md').replaceAll(/\s+/g, ' ')
  expect(invariants.map(({ name }) => name).filter((name) => !page.includes(`"${name}"`))).toEqual([])
})

test.each(pages)('%s names only criteria that are in the specification', (page) => {
  const known = new Set(idsOf(readSpec()))
  const named = inCode(page, /^(?:UC|RR|LH)-[\w.]+-?\w*$/).filter(
    (id) => id.split('-').length > (id.startsWith('UC-0') ? 2 : 1),
  )
  expect(named.filter((id) => !known.has(id))).toEqual([])
})

test.each(pages)('%s names only files, mutants and commands that exist', (page) => {
  const files = inCode(page, /^[\w-]+(?:\/[\w.-]+)*\.(?:ts|js|json|md)$/).filter((path) => !readersOwn.has(path))
  expect(files.filter((path) => folders.every((folder) => !existsSync(join(root, folder, path))))).toEqual([])
  const mutants = inCode(page, /^(?:core|engine|guards|presets|stores)\/[a-z0-9-]+$/).filter(
    (path) => !existsSync(join(root, 'src', path)),
  )
  expect(mutants.filter((name) => !existsSync(join(root, 'test/mutants', `${name}.js`)))).toEqual([])
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
  const commands = [...textOf(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
  expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

/** What stands between backticks on a page and has this form. */
function inCode(page: string, form: RegExp): string[] {
  return [...textOf(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text).filter((text) => form.test(text))
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
