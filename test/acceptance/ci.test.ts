import { expect, test } from 'vitest'
import { readAcceptanceTests, readSpec } from './files.ts'
import { compareWithSpec } from './spec-index.ts'
import type { TestFile } from './spec-index.ts'

const backoffIds = ['RR-3.1-first', 'RR-3.1-second', 'RR-3.1-exponential', 'RR-3.1-floor', 'RR-3.3-variance']

test('RR-4-ci a backoff test that is removed or skipped fails the build by its name', () => {
  const files = readAcceptanceTests().filter(([name]) => name === 'backoff.test.ts')
  expect(problemsOf(files)).toEqual([])

  for (const id of backoffIds) {
    expect(problemsOf(changed(files, (text) => without(text, id)))).toEqual([`${id} has no test.`])
    for (const modifier of ['skip', 'todo']) {
      const skipped = changed(files, (text) => text.replace(`test('${id} `, `test.${modifier}('${id} `))
      expect(problemsOf(skipped)).toEqual([`${id} in backoff.test.ts is skipped by "test.${modifier}".`])
    }
  }
})

function problemsOf(copy: readonly TestFile[]): string[] {
  return compareWithSpec(backoffPartOf(readSpec()), copy)
}

/** The head of the table and the rows about backoff. */
function backoffPartOf(spec: string): string {
  return spec
    .split('\n')
    .filter((line) => line.startsWith('| id |') || backoffIds.some((id) => line.startsWith(`| ${id} |`)))
    .join('\n')
}

function changed(files: readonly TestFile[], change: (text: string) => string): TestFile[] {
  return files.map(([name, text]) => [name, change(text)])
}

/** The text without the whole test of an id, which ends at the first bracket at the start of a line. */
function without(text: string, id: string): string {
  const from = text.indexOf(`test('${id} `)
  const to = text.indexOf('\n})', from)
  return text.slice(0, from) + text.slice(to + '\n})'.length)
}
