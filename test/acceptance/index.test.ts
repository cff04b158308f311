import { describe, expect, test } from 'vitest'
import { readAcceptanceTests, readSpec } from './files.ts'
import { compareWithSpec, idsOf } from './spec-index.ts'
import type { TestFile } from './spec-index.ts'

test('every id of the specification has exactly one test, and none is skipped', () => {
  // This file itself holds examples, which are no tests of the specification.
  const files = readAcceptanceTests().filter(([name]) => name !== 'index.test.ts')
  expect(compareWithSpec(readSpec(), files)).toEqual([])
})

test('the specification has all of its 49 ids', () => {
  expect(idsOf(readSpec())).toHaveLength(49)
})

describe('compareWithSpec', () => {
  const spec =
    '| document | preset |\n|---|---|\n| UC-1 | x |\n\n| id | must hold |\n|---|---|\n| UC-1-a | yes |\n| RR-3.1-b | yes |\n'
  const [a, b] = ["test('UC-1-a the first', () => {})\n", "test('RR-3.1-b the second', () => {})\n"]

  test.each<[string, TestFile[]]>([
    ['one test each', [['a.test.ts', a + b]]],
    [
      'two files',
      [
        ['a.test.ts', a],
        ['b.test.ts', b],
      ],
    ],
    [
      'a loop over databases',
      [['a.test.ts', `${a}for (const database of databases) test(\`RR-3.1-b on \${database}\`, run)`]],
    ],
    ['a table', [['a.test.ts', `${a}test.each([f(1), g(h(2))])('RR-3.1-b for %s', run)`]]],
    ['a title on the next line', [['a.test.ts', `${a}test(\n  'RR-3.1-b long',\n  run,\n)`]]],
    ['a describe around it', [['a.test.ts', `describe.each(databases)('%s', () => {\n${a}${b}})`]]],
    ['a title that is only the id', [['a.test.ts', `${a}it('RR-3.1-b', run)`]]],
    [
      'a comment about skipping',
      [['a.test.ts', `${a}${b}// test.skip('RR-3.1-b')\nexpect(rows.skipped).toBe('.only')`]],
    ],
  ])('finds nothing against %s', (_, files) => {
    expect(compareWithSpec(spec, files)).toEqual([])
  })

  test.each<[string, string, string[]]>([
    ['missing', a, ['RR-3.1-b has no test.']],
    ['commented out', `${a}// ${b}`, ['RR-3.1-b has no test.']],
    ['only mentioned', `${a}run('RR-3.1-b the second')`, ['RR-3.1-b has no test.']],
    [
      'only a longer id',
      `${a}test('RR-3.1-bb the second', run)`,
      ['RR-3.1-b has no test.', 'RR-3.1-bb in a.test.ts is not in the specification.'],
    ],
    ['doubled', a + b + b, ['RR-3.1-b has 2 tests, and must have one.']],
    ['skipped', `${a}test.skip('RR-3.1-b x', run)`, ['RR-3.1-b in a.test.ts is skipped by "test.skip".']],
    ['to be done', `${a}test.todo('RR-3.1-b x')`, ['RR-3.1-b in a.test.ts is skipped by "test.todo".']],
    ['expected to fail', `${a}test.fails('RR-3.1-b x', run)`, ['RR-3.1-b in a.test.ts is skipped by "test.fails".']],
    [
      'skipped on a condition',
      `${a}test.skipIf(a(b(c)))('RR-3.1-b x', run)`,
      ['RR-3.1-b in a.test.ts is skipped by "test.skipIf".'],
    ],
    [
      'skipped as a table',
      `${a}test.skip.each([1])('RR-3.1-b x', run)`,
      ['RR-3.1-b in a.test.ts is skipped by "test.skip".'],
    ],
    [
      'skipped after a mode',
      `${a}test.concurrent.skip('RR-3.1-b x', run)`,
      ['RR-3.1-b in a.test.ts is skipped by "test.concurrent.skip".'],
    ],
    [
      'skipped by an option',
      `${a}test('RR-3.1-b x', { skip: true }, run)`,
      ['RR-3.1-b in a.test.ts is skipped by "skip:".'],
    ],
    [
      'skipped from within',
      `${a}test('RR-3.1-b x', (context) => context.skip())`,
      ['RR-3.1-b in a.test.ts is skipped by "context.skip".'],
    ],
    [
      'in a skipped describe',
      `${a}describe.skip('x', () => {\n${b}})`,
      ['RR-3.1-b in a.test.ts is skipped by "describe.skip".'],
    ],
    [
      'beside one that runs alone',
      `${b}test.only('UC-1-a x', run)`,
      ['UC-1-a in a.test.ts is skipped by "test.only".'],
    ],
  ])('names an id that is %s', (_, text, problems) => {
    expect(compareWithSpec(spec, [['a.test.ts', text]])).toEqual(problems)
  })

  test('names the file if a skip belongs to no id', () => {
    expect(compareWithSpec(spec, [['a.test.ts', `test.skip('some other', run)\n${a}${b}`]])).toEqual([
      'a.test.ts has "test.skip", and no test may be skipped.',
    ])
  })

  test('names an id that stands twice in the specification', () => {
    expect(compareWithSpec(`${spec}| UC-1-a | no |\n`, [['a.test.ts', a + b]])).toEqual([
      'UC-1-a stands twice in the specification.',
    ])
  })
})
