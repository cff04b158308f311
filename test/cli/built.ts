import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The package as a user runs it: built once for a test file, inside the project so that its dependencies are found. */
export function builtPackage({ dashboard = false }: { dashboard?: boolean } = {}): { path(file: string): string } {
  let folder = ''
  beforeAll(async () => {
    mkdirSync(join(root, '.test'), { recursive: true })
    folder = mkdtempSync(join(root, '.test', 'built-'))
    const compiler = join(root, 'node_modules', '.bin', 'tsc')
    const compiled = promisify(execFile)(compiler, ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], { cwd: root })
    if (dashboard) await build({ configFile: join(root, 'src/ui/vite.config.ts'), logLevel: 'error', build: { outDir: join(folder, 'dist/ui') } })
    await compiled
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { path: (file) => join(folder, 'dist', file) }
}
