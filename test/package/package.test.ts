import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtPackage, root } from '../cli/built.ts'

const built = builtPackage()
const run = promisify(execFile)
/** The folder that is packed, the tarball, and where that is unpacked: inside the project, so that its dependencies are found. */
let stage = ''
let tarball = ''
let installed = ''

beforeAll(async () => {
  mkdirSync(join(root, '.test'), { recursive: true })
  stage = mkdtempSync(join(root, '.test', 'package-'))
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest))
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(join(root, file), join(stage, file))
  cpSync(built.path('.'), join(stage, 'dist'), { recursive: true })
  const { stdout } = await run('npm', ['pack', '--json', '--offline'], { cwd: stage })
  const [packed] = JSON.parse(stdout) as { filename: string }[]
  tarball = join(stage, packed?.filename ?? '')
  installed = join(stage, 'node_modules', 'posthorn')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
}, 120_000)

afterAll(() => rmSync(stage, { recursive: true, force: true }))

test('publint has nothing to say about the package', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
  expect(messages).toEqual([])
})

test('every subpath has types that are what Node loads', { timeout: 60_000 }, async () => {
  // Of CommonJS only that it is one: Node 20.19 and later require ES modules, which the next test does.
  const { stdout } = await run(join(root, 'node_modules/.bin/attw'), [
    tarball,
    '--profile',
    'esm-only',
    '--format',
    'json',
  ])
  const { analysis, problems = {} } = JSON.parse(stdout) as {
    analysis: { entrypoints: object }
    problems?: Record<string, unknown>
  }
  expect(Object.keys(analysis.entrypoints)).toContain('./sqlite')
  expect(Object.keys(problems).filter((kind) => !['NoResolution', 'CJSResolvesToESM'].includes(kind))).toEqual([])
})

test('every subpath can be required and imported, as the same module, and none loads a driver', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'scripts/matrix/programs/load-all.cjs'), stage])
  expect(stdout).toBe('loaded 8 of 8\n')
})

test('no file points to a source that is not in the package', () => {
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  const [scripts, maps] = [/\.(js|d\.ts)$/, /\.map$/].map((form) => files.filter((file) => form.test(file)))
  expect(maps).toEqual([])
  expect(
    scripts?.filter((file) => readFileSync(join(installed, 'dist', file), 'utf8').includes('sourceMappingURL=')),
  ).toEqual([])
})

test('a TypeScript program needs no types of a driver', () => {
  for (const store of ['postgres', 'sqlite'])
    expect(readFileSync(join(installed, `dist/stores/${store}/index.d.ts`), 'utf8')).not.toMatch(
      /from '(pg|@photostructure\/sqlite)'/,
    )
})

test('the drivers, more than half of what is installed, can be left out', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const drivers = ['@photostructure/sqlite', 'pg']
  expect(Object.keys(optionalDependencies)).toEqual(drivers)
  expect(Object.keys(dependencies).filter((name) => drivers.includes(name))).toEqual([])
})
