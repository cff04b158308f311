export const mutant = {
  says: 'Jitter makes every wait longer and none shorter.',
  joins: null,
  file: 'src/core/delivery/retry-policy.ts',
  find: '(2 * random() - 1)',
  replace: 'random()',
  caughtBy: { file: 'test/acceptance/backoff.test.ts', title: 'RR-3.1-first' },
}
