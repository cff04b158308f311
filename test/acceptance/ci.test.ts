import { expect, test } from 'vitest'
import { judgeRun } from '../../scripts/judge-run.js'
import { runProject } from '../laws/project.ts'
import { readAcceptanceTests, readSpec } from './files.ts'
import { compareWithSpec } from './spec-index.ts'

const backoffIds = ['RR-3.1-first', 'RR-3.1-second', 'RR-3.1-exponential', 'RR-3.1-floor', 'RR-3.3-variance']
const [first = '', second = '', exponential = '', floor = ''] = backoffIds
const path = 'test/acceptance/backoff.test.ts'
const spec = backoffPartOf(readSpec())

test('RR-4-ci a backoff test that is removed, skipped or emptied fails the build by its name', async () => {
  const text = readAcceptanceTests().find(([name]) => name === 'backoff.test.ts')?.[1] ?? ''
  expect(compareWithSpec(spec, [['backoff.test.ts', text]])).toEqual([])

  for (const id of backoffIds) {
    expect(compareWithSpec(spec, [['backoff.test.ts', without(text, id)]])).toEqual([`${id} has no test.`])
    for (const modifier of ['skip', 'todo']) {
      const skipped = text.replace(`test('${id} `, `test.${modifier}('${id} `)
      expect(compareWithSpec(spec, [['backoff.test.ts', skipped]])).toEqual([
        `${id} in backoff.test.ts is skipped by "test.${modifier}".`,
      ])
    }
  }

  // Whatever the sources look like: what a run of a changed copy says.
  const removed = without(text, first)
  const skipped = removed.replace(`test('${second} `, `test['skip']('${second} `)
  const emptied = skipped.replace(new RegExp(`(test\\('${floor} .*=> \\{\n)[^]*?(\n\\}\\))`), '$1$2')
  const changed = emptied.replace(/test\('(RR-3\.1-exponential) .*/, (line) => `for (const _ of [1, 2]) ${line}`)
  const { folder, report } = await runProject({ [path]: changed })
  expect(judgeRun({ report, root: folder, spec, files: [{ path, text: changed }] })).toEqual({
    passed: 3,
    failed: 4,
    problems: [`${first} did not run.`, `${second} was skipped.`, `${exponential} ran 2 times, and must run once.`],
  })
  const failed = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
  expect(failed.map(({ title }) => title.split(' ', 1)[0])).toEqual([floor])
})

/** The head of the table and the rows about backoff. */
function backoffPartOf(whole: string): string {
  return whole
    .split('\n')
    .filter((line) => line.startsWith('| id |') || backoffIds.some((id) => line.startsWith(`| ${id} |`)))
    .join('\n')
}

/** The text without the whole test of an id, which ends at the first bracket at the start of a line. */
function without(text: string, id: string): string {
  const from = text.indexOf(`test('${id} `)
  const to = text.indexOf('\n})', from)
  return text.slice(0, from) + text.slice(to + '\n})'.length)
}
