import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../acceptance/files.ts'

const tests = `import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
test('says what it expects', () => { expect(1).toBe(1) })
test('asks node', () => { assert.equal(1, 1) })
test('lets node find out that something fails', async () => { await assert.rejects(Promise.reject(new Error('no'))) })
test('was emptied', () => {})
test('only does not throw', async () => { await Promise.resolve(1) })
`

test('with the settings of this project a test that asserts nothing fails, and what node asserts counts', async () => {
  const folder = temporaryProject({ 'test/some.test.ts': tests })
  const report = join(folder, 'report.json')
  await vitest(['run', '--root', folder, '--config', join(root, 'vitest.config.ts'), '--reporter=json', `--outputFile=${report}`])

  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { assertionResults: { title: string; status: string }[] }[] }
  const ends = testResults.flatMap(({ assertionResults }) => assertionResults).map(({ title, status }) => [title, status])
  expect(Object.fromEntries(ends)).toEqual({
    'says what it expects': 'passed',
    'asks node': 'passed',
    'lets node find out that something fails': 'passed',
    'was emptied': 'failed',
    'only does not throw': 'failed',
  })
})

/** A folder with test files in it, within the project so that its packages are found; gone when the test has ended. */
function temporaryProject(files: Readonly<Record<string, string>>): string {
  mkdirSync(join(root, '.test'), { recursive: true })
  const folder = mkdtempSync(join(root, '.test', 'project-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'test'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Without a database: a fast run has none. */
function vitest(args: readonly string[]): Promise<void> {
  const environment = { ...process.env, POSTHORN_TEST_FAST: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], { cwd: root, env: environment }, () => resolve())
  })
}
