import { expect, test } from 'vitest'
import { allowedAtRoot, strays, textOf } from './root.ts'

test('a log or a note that was left behind is found', () => {
  expect(strays([...allowedAtRoot, 'isolate-0x1-v8.log', 'notes.txt'])).toEqual(['isolate-0x1-v8.log', 'notes.txt'])
})

test('the workflow runs what the README says, from the oldest Node that the package supports', () => {
  const workflow = textOf('.github/workflows/test.yml')
  for (const command of ['npm ci', 'npm test', 'npm run check']) expect(workflow).toContain(`run: ${command}\n`)
  expect(textOf('README.md')).toContain('npm ci && npm test')
  const { engines } = JSON.parse(textOf('package.json')) as { readonly engines: { readonly node: string } }
  const [, oldest = ''] = /^>=(\d+)/.exec(engines.node) ?? []
  expect(workflow).toContain(`node: [${oldest}, `)
})
