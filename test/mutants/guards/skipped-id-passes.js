export const mutant = {
  says: 'An acceptance test that is skipped passes for one that ran.',
  joins: null,
  file: 'scripts/judge-run.js',
  find: 'found.some(({ isSkipped }) => isSkipped) ? [`${id} was skipped${where}.`] : []',
  replace: '[]',
  caughtBy: { file: 'test/acceptance/ci.test.ts', title: 'RR-4-ci' },
}
