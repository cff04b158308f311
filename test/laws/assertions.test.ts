import { expect, test } from 'vitest'
import { runProject } from './project.ts'

const text = `import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
test('says what it expects', () => { expect(1).toBe(1) })
test('asks node', () => { assert.equal(1, 1) })
test('lets node find out that something fails', async () => { await assert.rejects(Promise.reject(new Error('no'))) })
test('was emptied', () => {})
test('only does not throw', async () => { await Promise.resolve(1) })
`

test('with the settings of this project a test that asserts nothing fails, and what node asserts counts', async () => {
  const { report } = await runProject({ 'test/some.test.ts': text })
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(Object.fromEntries(tests.map(({ title, status }) => [title, status]))).toEqual({
    'says what it expects': 'passed',
    'asks node': 'passed',
    'lets node find out that something fails': 'passed',
    'was emptied': 'failed',
    'only does not throw': 'failed',
  })
})
