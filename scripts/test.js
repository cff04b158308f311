// The whole test command: the tests (which also lint, type-check and build: UC-build), then one closing line.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'

const fast = process.argv.includes('--fast')
const report = '.test/report.json'
mkdirSync('.test', { recursive: true })
rmSync(report, { force: true })

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`]
const filters = process.argv.slice(2).filter((argument) => argument !== '--fast')
const run = spawnSync(process.execPath, [...vitest, ...filters], {
  stdio: 'inherit',
  env: { ...process.env, POSTHORN_TEST_FAST: fast ? '1' : '' },
})

const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
// A file that fails to load runs no test, and must not pass for that; a skipped test is a failed one.
const brokenFiles = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
const failed = numFailedTests + numPendingTests + numTodoTests + brokenFiles
console.log(`${numPassedTests} passed, ${failed} failed`)
process.exit(run.status === 0 && failed === 0 ? 0 : 1)
