export const mutant = {
  says: 'Jitter may bring a wait below a second.',
  joins: 'jitter × override',
  file: 'src/core/delivery/retry-policy.ts',
  find: 'Math.max(Math.round(delay + jitter), floorMs)',
  replace: 'Math.round(delay + jitter)',
  caughtBy: { file: 'test/acceptance/backoff.test.ts', title: 'RR-3.1-floor' },
}
