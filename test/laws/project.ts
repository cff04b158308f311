import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { RunReport } from '../../scripts/judge-run.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs test files of its own with the settings and the sources of this project, in a folder that is gone when the test has ended. */
export async function runProject(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly folder: string; readonly report: RunReport }> {
  mkdirSync(join(root, '.test'), { recursive: true })
  // Within the project, so that its packages are found.
  const folder = mkdtempSync(join(root, '.test', 'project-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'src'), join(folder, 'src'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const report = join(folder, 'report.json')
  await vitest([
    'run',
    '--root',
    folder,
    '--config',
    join(root, 'vitest.config.ts'),
    '--reporter=json',
    `--outputFile=${report}`,
  ])
  return { folder, report: JSON.parse(readFileSync(report, 'utf8')) as RunReport }
}

/** As a fast run, which needs no database. That tests fail is no failure here: the report says which. */
function vitest(args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, POSTHORN_TEST_FAST: '1' } }
    execFile(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], options, () => resolve())
  })
}
