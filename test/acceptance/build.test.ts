import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtPackage } from '../cli/built.ts'
import { root } from './files.ts'

// A build that says anything but yes ends the whole run before its first test, or this file if it runs alone.
const built = builtPackage()

test('UC-build the linter, the type check and the build pass without a warning', { timeout: 120_000 }, async () => {
  const lint = await run('oxlint', '--type-aware', '--deny-warnings')
  expect(lint, lint.output).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('Found 0 warnings and 0 errors.'),
  })

  const typeCheck = await run('tsc', '-p', 'tsconfig.json', '--noEmit')
  expect(typeCheck, typeCheck.output).toEqual({ exitCode: 0, output: '' })

  const uiTypeCheck = await run('tsc', '-p', 'src/ui/tsconfig.json', '--noEmit')
  expect(uiTypeCheck, uiTypeCheck.output).toEqual({ exitCode: 0, output: '' })

  expect(existsSync(built.path('index.js'))).toBe(true)
})

/** Runs a tool of the project; everything it says counts. */
function run(tool: string, ...options: string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      join(root, 'node_modules/.bin', tool),
      options,
      { cwd: root, timeout: 110_000, maxBuffer: 64 * 1024 * 1024 },
      (_, out, err) => {
        // A tool that was killed has no exit code, and has not passed.
        resolve({ exitCode: child.exitCode ?? -1, output: out + err })
      },
    )
  })
}
