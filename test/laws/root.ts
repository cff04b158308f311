import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../acceptance/files.ts'

/** What may be at the root of the project, and nothing else. */
export const allowedAtRoot = [
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
  'deploy',
  'docs',
  'examples',
  'scripts',
  'src',
  'test',
]

/** Names that are not on the list. */
export function strays(names: readonly string[]): string[] {
  return names.filter((name) => !allowedAtRoot.includes(name))
}

/** What git keeps there; where it is not at hand, whatever is there and is not ignored. */
export function namesAtRoot(): string[] {
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

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
