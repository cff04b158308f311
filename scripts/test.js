// The whole test command: the tests (which also lint, type-check and build: UC-build), then one closing line.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

const fast = process.argv.includes('--fast')
const report = '.test/report.json'
mkdirSync('.test', { recursive: true })
rmSync(report, { force: true })

// Once for all files that run the package as its users do; a file that is run alone builds its own.
const built = resolve(mkdtempSync('.test/built-'))
// A fast run does not check types: the whole one does, and so does `npm run typecheck`.
const unchecked = fast ? ['--noCheck'] : []
const compiled = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', `${built}/dist`, ...unchecked], { stdio: 'inherit' })
const bundled = fast || spawnSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--config', 'src/ui/vite.config.ts', '--outDir', `${built}/dist/ui`, '--logLevel', 'error'], { stdio: 'inherit' }).status === 0
if (compiled.status !== 0 || !bundled) {
  console.log('0 passed, 1 failed')
  process.exit(1)
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`]
const filters = process.argv.slice(2).filter((argument) => argument !== '--fast')
const run = spawnSync(process.execPath, [...vitest, ...filters], {
  stdio: 'inherit',
  env: { ...process.env, POSTHORN_TEST_FAST: fast ? '1' : '', POSTHORN_TEST_BUILT: built },
})
rmSync(built, { recursive: true, force: true })

const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
// A file that fails to load runs no test, and must not pass for that; a skipped test is a failed one, but for those that a fast run leaves out.
const brokenFiles = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
const failed = numFailedTests + (fast ? 0 : numPendingTests) + numTodoTests + brokenFiles
console.log(`${numPassedTests} passed, ${failed} failed`)
process.exit(run.status === 0 && failed === 0 ? 0 : 1)
