import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The package as a user runs it, inside the project so that its dependencies are found: built once for the whole run, or for this file if it runs alone. */
export function builtPackage({ dashboard = false }: { dashboard?: boolean } = {}): { path(file: string): string } {
  const shared = process.env['POSTHORN_TEST_BUILT']
  if (shared !== undefined) return { path: (file) => join(shared, 'dist', file) }
  let folder = ''
  beforeAll(async () => {
    mkdirSync(join(root, '.test'), { recursive: true })
    folder = mkdtempSync(join(root, '.test', 'built-'))
    const compiler = join(root, 'node_modules', '.bin', 'tsc')
    // As in a fast run of all tests, types are not checked.
    const unchecked = process.env['POSTHORN_TEST_FAST'] === '1' ? ['--noCheck'] : []
    const compiled = promisify(execFile)(
      compiler,
      ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist'), ...unchecked],
      { cwd: root },
    )
    if (dashboard) await bundle(join(folder, 'dist/ui'))
    await compiled
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { path: (file) => join(folder, 'dist', file) }
}

async function bundle(outDir: string): Promise<void> {
  // Loaded only here: it is large, and most files need no dashboard.
  const { build } = await import('vite')
  await build({ configFile: join(root, 'src/ui/vite.config.ts'), logLevel: 'error', build: { outDir } })
}
