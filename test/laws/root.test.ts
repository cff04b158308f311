import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'

/** What may be at the root of the project, and nothing else. */
const allowed = [
  // What people read first.
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  'LICENSE',
  'SECURITY.md',
  // What tools look for here.
  '.ci',
  '.editorconfig',
  '.git-blame-ignore-revs',
  '.github',
  '.gitignore',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'package-lock.json',
  'package.json',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
  // What the project is made of.
  'bench',
  'docs',
  'examples',
  'scripts',
  'src',
  'test',
]

test('only what is listed is at the root of the project', () => {
  expect(strays(namesAtRoot())).toEqual([])
})

test('a log or a note that was left behind is found', () => {
  expect(strays([...allowed, 'isolate-0x1-v8.log', 'notes.txt'])).toEqual(['isolate-0x1-v8.log', 'notes.txt'])
})

test('the workflow runs what the README says, from the oldest Node that the package supports', () => {
  const workflow = textOf('.github/workflows/test.yml')
  for (const command of ['npm ci', 'npm test', 'npm run check']) expect(workflow).toContain(`run: ${command}\n`)
  expect(textOf('README.md')).toContain('npm ci && npm test')
  const { engines } = JSON.parse(textOf('package.json')) as { readonly engines: { readonly node: string } }
  const [, oldest = ''] = /^>=(\d+)/.exec(engines.node) ?? []
  expect(workflow).toContain(`node: [${oldest}, `)
})

function strays(names: readonly string[]): string[] {
  return names.filter((name) => !allowed.includes(name))
}

/** What git keeps there; where it is not at hand, whatever is there and is not ignored. */
function namesAtRoot(): string[] {
  if (existsSync(join(root, '.git'))) {
    const files = execFileSync('git', ['ls-files', '-z'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    }).split('\0')
    return [...new Set(files.filter((file) => file !== '').map((file) => file.split('/', 1)[0] ?? file))]
  }
  const ignored = textOf('.gitignore')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\/$/, ''))
  const forms = ignored.map((line) => new RegExp(`^${line.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`))
  return readdirSync(root).filter((name) => !forms.some((form) => form.test(name)))
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
