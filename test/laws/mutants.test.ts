import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { conclusion, lineOf, seedLineOf } from '../../scripts/mutants/lines.js'
import { loadMutants } from '../../scripts/mutants/load.js'
import { patched } from '../../scripts/mutants/patch.js'
import { runMutants } from '../../scripts/mutants/run.js'
import type { Mutant, MutantResult } from '../../scripts/mutants/run.js'
import { simulateMutants } from '../../scripts/mutants/simulate.js'
import { makeSlot } from '../../scripts/mutants/slot.js'
import { testRunner, verdict } from '../../scripts/mutants/test-runner.js'
import type { TestReport } from '../../scripts/mutants/test-runner.js'
import { root } from '../acceptance/files.ts'

const planted = await loadMutants(join(root, 'test/mutants'))

test.each(planted)('the mutant $name still applies, and the test that must catch it is there', (mutant) => {
  const text = readFileSync(join(root, mutant.file), 'utf8')
  expect(patched(text, mutant)).not.toBe(text)
  const { caughtBy } = mutant
  if ('command' in caughtBy) expect(existsSync(join(root, caughtBy.command[1] ?? ''))).toBe(true)
  else expect(testsOf(caughtBy.file)).toContain(caughtBy.title)
  if (mutant.simulated !== undefined)
    expect(existsSync(join(root, 'test/simulation/scenarios', mutant.simulated.scenario))).toBe(true)
})

test('the simulator must find ten of them by itself', () => {
  expect(
    planted.filter(({ simulated }) => simulated !== undefined && simulated.seeds <= 2_000).length,
  ).toBeGreaterThanOrEqual(10)
})

/** The text of a test file; one of a store has its titles in the conformance suite. */
function testsOf(file: string): string {
  const suite = join(root, 'src/testing/store-suite')
  const cases = file.startsWith('test/stores/')
    ? readdirSync(suite, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(suite, name), 'utf8'))
    : []
  return [readFileSync(join(root, file), 'utf8'), ...cases].join('\n')
}

test('there are enough mutants, and half of them join two rules', () => {
  expect(planted.length).toBeGreaterThanOrEqual(40)
  expect(planted.filter(({ joins }) => joins !== null).length).toBeGreaterThanOrEqual(planted.length / 2)
  expect(new Set(planted.map(({ says }) => says)).size).toBe(planted.length)
})

describe('patched', () => {
  test('replaces what stands there once, whatever characters it has', () => {
    expect(patched('a + b', { file: 'x', find: ' + b', replace: '$&$1' })).toBe('a$&$1')
  })

  test.each([
    ['is not there', 'c', 0],
    ['stands there twice', 'a', 2],
  ])('refuses a text that %s', (_, find, count) => {
    expect(() => patched('a b a', { file: 'src/x.ts', find, replace: '' })).toThrow(
      `Expected src/x.ts to hold the text to replace once, found it ${count} times.`,
    )
  })
})

const sum: Mutant = {
  name: 'sum/wrong',
  says: 'A sum is a difference.',
  joins: null,
  file: 'src/sum.js',
  find: 'left + right',
  replace: 'left - right',
  caughtBy: { file: 'test/sum.test.js', title: 'adds' },
}
const project = {
  'package.json': '{ "type": "module" }',
  'src/sum.js': 'export const sum = (left, right) => left + right\n',
  'test/sum.test.js': `import { expect, test } from 'vitest'
import { sum } from '../src/sum.js'
test('adds two numbers', () => { expect(sum(1, 1)).toBe(2) })
test('looks away', () => { expect(sum(0, 0)).toBe(0) })
test('never passes', () => { expect(1).toBe(2) })
test.each([['one', 1], ['nothing', 0]])('adds to %s', (_, right) => { expect(sum(1, right)).toBe(1 + right) })
`,
  'command.js': `import { sum } from './src/sum.js'
if (sum(1, 1) !== 2) { console.log('1 and 1 are ' + sum(1, 1)); process.exitCode = 1 }
`,
}

describe('a run in a small project', () => {
  test('tells what is caught from what survives, breaks, has come loose or cannot be tried, and leaves the project as it was', async () => {
    const folder = projectWith(project)
    const mutants: Mutant[] = [
      sum,
      { ...sum, name: 'sum/by-command', caughtBy: { command: ['node', 'command.js'], says: '1 and 1 are 0' } },
      { ...sum, name: 'sum/unseen', caughtBy: { file: 'test/sum.test.js', title: 'looks away' } },
      { ...sum, name: 'sum/by-row', caughtBy: { file: 'test/sum.test.js', title: 'adds to %s', row: 'one' } },
      { ...sum, name: 'sum/other-row', caughtBy: { file: 'test/sum.test.js', title: 'adds to %s', row: 'nothing' } },
      { ...sum, name: 'sum/unreadable', replace: 'left +' },
      { ...sum, name: 'sum/loose', find: 'left * right' },
      { ...sum, name: 'sum/untried', caughtBy: { file: 'test/sum.test.js', title: 'never passes' } },
      { ...sum, name: 'sum/silent', caughtBy: { command: ['node', 'command.js'], says: 'the sky is blue' } },
    ]
    const said: MutantResult[] = []
    const tests = testRunner(folder)
    const results = await runMutants({
      root: folder,
      mutants,
      slots: 2,
      makeSlot,
      runTests: tests.run,
      say: (result) => void said.push(result),
    })
    await tests.close()

    expect(Object.fromEntries(results.map(({ mutant, kind }) => [mutant.name, kind]))).toEqual({
      'sum/wrong': 'caught',
      'sum/by-command': 'caught',
      'sum/unseen': 'survived',
      'sum/by-row': 'caught',
      'sum/other-row': 'survived',
      'sum/unreadable': 'broken',
      'sum/loose': 'loose',
      'sum/untried': 'untried',
      'sum/silent': 'broken',
    })
    expect(said).toEqual(results)
    expect(conclusion(results)).toBe('3 of 9 caught')
    expect(readFileSync(join(folder, 'src/sum.js'), 'utf8')).toBe(project['src/sum.js'])
    const survivors = results.filter(({ kind }) => kind === 'survived').map(lineOf)
    expect(survivors.toSorted()).toEqual([
      'survived sum/other-row: A sum is a difference. "adds to nothing" in test/sum.test.js should fail, but its test passes',
      'survived sum/unseen: A sum is a difference. "looks away" in test/sum.test.js should fail, but its test passes',
    ])
  }, 60_000)

  test('takes a defect out again before the next one goes in', async () => {
    const folder = projectWith(project)
    const seen: string[] = []
    const results = await runMutants({
      root: folder,
      mutants: [
        sum,
        { ...sum, name: 'sum/other', replace: 'left * right', caughtBy: { file: 'test/sum.test.js', title: 'other' } },
      ],
      slots: 1,
      makeSlot,
      async runTests(slot, tests) {
        const text = readFileSync(join(slot, 'src/sum.js'), 'utf8')
        seen.push(text.slice(text.indexOf('=> ') + '=> '.length).trim())
        return tests.map(() =>
          text === project['src/sum.js'] ? { kind: 'passed', why: '' } : { kind: 'failed', why: 'AssertionError' },
        )
      },
    })
    expect(seen).toEqual(['left + right', 'left - right', 'left * right'])
    expect(results.map(({ kind }) => kind)).toEqual(['caught', 'caught'])
  })
})

describe('a search by the simulator', () => {
  const searched: Mutant = { ...sum, simulated: { seeds: 7, scenario: 'sum.json' } }
  const found = { code: 1, output: 'seed 5 breaks: sums are right\n' }

  test.each([
    [
      'caught',
      searched,
      (isPlanted: boolean) => (isPlanted ? found : { code: 0, output: '' }),
      'seed 5 breaks: sums are right',
    ],
    [
      'survived',
      searched,
      () => ({ code: 0, output: '7 seeds, 0 violations' }),
      'the simulator did not find it in 7 seeds',
    ],
    ['untried', searched, () => found, 'seed 5 breaks a promise without it, too'],
    ['broken', searched, () => ({ code: 1, output: 'oh\nSyntaxError\n' }), 'SyntaxError'],
    ['loose', { ...searched, find: 'left * right' }, () => found, 'Expected src/sum.js to hold'],
  ])('that ends %s says why', async (kind, mutant, answer, why) => {
    const folder = projectWith(project)
    const asked: string[] = []
    const results = await simulateMutants({
      root: folder,
      mutants: [mutant],
      slots: 1,
      makeSlot,
      async simulate(slot, args) {
        asked.push(args.join(' '))
        return answer(readFileSync(join(slot, 'src/sum.js'), 'utf8') !== project['src/sum.js'])
      },
    })
    expect(results).toMatchObject([{ kind, why: expect.stringContaining(why) as string }])
    expect(results.map(seedLineOf)[0]).toContain(`${kind.padEnd(8)} sum/wrong: `)
    expect(asked).toEqual(['--seeds 7 --first', '--seed 5'].slice(0, { caught: 2, untried: 2, loose: 0 }[kind] ?? 1))
  })
})

test('a mutant is caught only if the scenario that was kept for it breaks, too', async () => {
  const simulated = { seeds: 7, scenario: 'sum.json' }
  const results = await runMutants({
    root: projectWith(project),
    mutants: [{ ...sum, simulated }],
    slots: 1,
    makeSlot,
    async runTests(slot, tests) {
      const isPlanted = readFileSync(join(slot, 'src/sum.js'), 'utf8') !== project['src/sum.js']
      return tests.map((asked) =>
        isPlanted && 'title' in asked && asked.title === 'adds'
          ? { kind: 'failed', why: 'AssertionError' }
          : { kind: 'passed', why: '' },
      )
    },
  })
  expect(results).toMatchObject([{ kind: 'survived', why: 'its scenario sum.json breaks nothing' }])
})

describe('verdict', () => {
  test.each([
    ['one that passes', reportOf(ended('passed'), ended('skipped')), 'passed'],
    [
      'one that fails an assertion',
      reportOf(ended('passed'), ended('failed', 'AssertionError: expected 0 to be 2')),
      'failed',
    ],
    [
      'one that fails an assertion of node',
      reportOf(ended('failed', 'AssertionError [ERR_ASSERTION]: 0 !== 2')),
      'failed',
    ],
    [
      'one that asserts nothing',
      reportOf(ended('failed', 'Error: expected any number of assertion, but got none')),
      'failed',
    ],
    ['one that throws', reportOf(ended('failed', 'ReferenceError: missing is not defined')), 'broken'],
    ['one that lasts too long', reportOf(ended('failed', 'Error: Test timed out in 20000ms.')), 'broken'],
    ['one that is not there', reportOf({ ...ended('failed', 'AssertionError'), title: 'another' }), 'broken'],
    ['one that was skipped', reportOf(ended('skipped')), 'broken'],
    ['a file that does not load', reportOf(), 'broken'],
  ])('of %s', (_, report, kind) => {
    expect(verdict(report, 'adds')).toMatchObject({ kind })
  })
})

test.each([
  ['no test', { ...sum, caughtBy: {} }],
  ['no text to find', { ...sum, find: '' }],
  ['nothing', undefined],
])('a mutant with %s is refused by its name', async (_, mutant) => {
  const folder = projectWith({ 'odd/one.js': `export const mutant = ${JSON.stringify(mutant)}` })
  rmSync(join(folder, 'node_modules'))
  await expect(loadMutants(folder)).rejects.toThrow('Expected the mutant odd/one to have `says`')
})

function projectWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

type Ended = TestReport['testResults'][number]['assertionResults'][number]

function ended(status: string, ...failureMessages: string[]): Ended {
  return { title: 'adds two numbers', status, failureMessages }
}

function reportOf(...assertionResults: Ended[]): TestReport {
  return { testResults: [{ status: 'failed', message: 'Unexpected token', assertionResults }] }
}
