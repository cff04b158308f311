import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The package as a user runs it: built once for a test file, inside the project so that its dependencies are found. */
export function builtPackage(): { path(file: string): string } {
  let folder = ''
  beforeAll(async () => {
    mkdirSync(join(root, '.test'), { recursive: true })
    folder = mkdtempSync(join(root, '.test', 'built-'))
    const compiler = join(root, 'node_modules', '.bin', 'tsc')
    await promisify(execFile)(compiler, ['-p', 'tsconfig.build.json', '--outDir', folder], { cwd: root })
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { path: (file) => join(folder, file) }
}
