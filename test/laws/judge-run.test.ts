import { describe, expect, test } from 'vitest'
import { judgeRun, requirementsOf } from '../../scripts/judge-run.js'
import type { Judgement, Run, RunReport } from '../../scripts/judge-run.js'
import { readSpec } from '../acceptance/files.ts'

const root = '/project'
const spec = `| document | runs on |
|---|---|
| UC-0 | nowhere |

| id | must hold | runs on |
|---|---|---|
| UC-1-a | yes | sqlite, postgres |
| RR-3.1-b | yes | once |
| UC-build | yes | once, in the whole run |
`
const files = [
  { path: 'test/acceptance/one.test.ts', text: "test('UC-1-a the first', run)" },
  { path: 'test/acceptance/two.test.ts', text: "test('RR-3.1-b the second', run)" },
  { path: 'test/acceptance/build.test.ts', text: "test('UC-build the third', run)" },
  { path: 'test/laws/laws.test.ts', text: '' },
]

type Test = RunReport['testResults'][number]['assertionResults'][number]
type Ran = Readonly<Record<string, readonly Test[]>>

const onSqlite = ran('UC-1-a the first', "'sqlite'")
const onPostgres = ran('UC-1-a the first', "'postgres'")
const second = ran('RR-3.1-b the second')
const whole: Ran = {
  'test/acceptance/one.test.ts': [onSqlite, onPostgres],
  'test/acceptance/two.test.ts': [second],
  'test/acceptance/build.test.ts': [ran('UC-build the third')],
  'test/laws/laws.test.ts': [ran('a law')],
}
const fast: Ran = {
  'test/acceptance/one.test.ts': [onSqlite],
  'test/acceptance/two.test.ts': [second],
  'test/laws/laws.test.ts': [ran('a law')],
}

function ran(title: string, group?: string, status = 'passed'): Test {
  return { title, ancestorTitles: group === undefined ? [] : [group], status }
}

function judge(run: Ran, options: Partial<Run> = {}): Judgement {
  const testResults = Object.entries(run).map(([path, tests]) => ({
    name: `${root}/${path}`,
    status: 'passed',
    assertionResults: tests,
  }))
  return judgeRun({ report: { testResults }, root, spec, files, ...options })
}

function without(run: Ran, path: string): Ran {
  return Object.fromEntries(Object.entries(run).filter(([name]) => name !== path))
}

describe('judgeRun', () => {
  test('finds nothing against a whole run, nor a fast one, nor one of the files that were asked for', () => {
    expect(judge(whole)).toEqual({ passed: 5, failed: 0, problems: [] })
    expect(judge(fast, { isFast: true })).toEqual({ passed: 3, failed: 0, problems: [] })
    expect(judge({ 'test/acceptance/two.test.ts': [second] }, { filters: ['acceptance/two'] })).toEqual({
      passed: 1,
      failed: 0,
      problems: [],
    })
  })

  test.each<[string, Ran, readonly string[]]>([
    [
      'did not run on a database',
      { ...whole, 'test/acceptance/one.test.ts': [onSqlite] },
      ['UC-1-a did not run on postgres.'],
    ],
    ['did not run at all', { ...whole, 'test/acceptance/two.test.ts': [ran('another')] }, ['RR-3.1-b did not run.']],
    [
      'is only part of a longer one',
      { ...whole, 'test/acceptance/two.test.ts': [ran('RR-3.1-bb')] },
      ['RR-3.1-b did not run.', 'RR-3.1-bb in test/acceptance/two.test.ts is not in the specification.'],
    ],
    [
      'was skipped',
      { ...whole, 'test/acceptance/two.test.ts': [{ ...second, status: 'skipped' }] },
      ['RR-3.1-b was skipped.'],
    ],
    [
      'was left to be done on a database',
      { ...whole, 'test/acceptance/one.test.ts': [onSqlite, { ...onPostgres, status: 'pending' }] },
      ['UC-1-a was skipped on postgres.'],
    ],
    [
      'ran twice',
      { ...whole, 'test/acceptance/two.test.ts': [second, second] },
      ['RR-3.1-b ran 2 times, and must run once.'],
    ],
    [
      'ran twice on a database',
      { ...whole, 'test/acceptance/one.test.ts': [onSqlite, onSqlite, onPostgres] },
      ['UC-1-a ran 2 times on sqlite, and must run once.'],
    ],
    [
      'ran in a group of its own',
      { ...whole, 'test/acceptance/one.test.ts': [onSqlite, onPostgres, ran('UC-1-a again', 'mysql')] },
      ['UC-1-a in test/acceptance/one.test.ts runs outside of sqlite, postgres.'],
    ],
    [
      'ran elsewhere',
      { ...without(whole, 'test/acceptance/two.test.ts'), 'test/other.test.ts': [second] },
      ['test/acceptance/two.test.ts was not part of the run.', 'RR-3.1-b did not run.'],
    ],
  ])('names an id that %s', (_, run, problems) => {
    const { failed, problems: found } = judge(run)
    expect(found).toEqual(problems)
    expect(failed).toBe(problems.length)
  })

  test.each(['test/laws/laws.test.ts', 'test/acceptance/two.test.ts'])(
    'names %s if it is left out, from a fast run and from one of some files, too',
    (path) => {
      const line = `${path} was not part of the run.`
      expect(judge(without(whole, path)).problems).toContain(line)
      expect(judge(without(fast, path), { isFast: true }).problems).toContain(line)
      expect(judge(without(whole, path), { filters: [path, 'test/acceptance/one'] }).problems).toContain(line)
    },
  )

  test('counts what failed, what was skipped and what did not even load, and each of them once', () => {
    const run = {
      ...whole,
      'test/core/x.test.ts': [
        ran('x', undefined, 'failed'),
        ran('y', undefined, 'skipped'),
        ran('z', undefined, 'todo'),
      ],
    }
    expect(judge(run)).toEqual({ passed: 5, failed: 3, problems: [] })
    expect(judge({ ...fast, 'test/core/x.test.ts': run['test/core/x.test.ts'] }, { isFast: true })).toEqual({
      passed: 3,
      failed: 2,
      problems: [],
    })
    expect(judge({ ...whole, 'test/acceptance/two.test.ts': [{ ...second, status: 'failed' }] })).toEqual({
      passed: 4,
      failed: 1,
      problems: [],
    })

    const testResults = Object.entries(whole).map(([path, tests]) => ({
      name: `${root}/${path}`,
      status: 'passed',
      assertionResults: tests,
    }))
    const broken = { name: `${root}/test/core/y.test.ts`, status: 'failed', assertionResults: [] }
    expect(judgeRun({ report: { testResults: [...testResults, broken] }, root, spec, files })).toEqual({
      passed: 5,
      failed: 1,
      problems: [],
    })
  })
})

test('the specification says of each id where it runs', () => {
  for (const { id, groups } of requirementsOf(readSpec())) {
    expect(['', 'sqlite postgres', 'breaker off breaker on'], id).toContain(groups.join(' '))
  }
  expect(
    requirementsOf(readSpec())
      .filter(({ isSlow }) => isSlow)
      .map(({ id }) => id),
  ).toEqual(['UC-build'])
})
