export const mutant = {
  says: 'A test was emptied.',
  joins: null,
  file: 'test/acceptance/backoff.test.ts',
  find: '  expect([0, 1, 2, 3, 4].map((n) => delayAfter(policy, n + 1, midpoint) / 1000)).toEqual([60, 120, 240, 480, 960])\n',
  replace: '',
  caughtBy: { file: 'test/acceptance/backoff.test.ts', title: 'RR-3.1-exponential' },
}
