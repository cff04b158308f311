export const mutant = {
  says: 'An endpoint can ask for a wait of years.',
  joins: 'Retry-After × bounds',
  file: 'src/core/delivery/attempt.ts',
  find: 'Math.min(Math.max(outcome.retryAfterMs, 0), longestRetryAfterMs)',
  replace: 'Math.max(outcome.retryAfterMs, 0)',
  caughtBy: { file: 'test/core/attempt.test.ts', title: 'Retry-After: ' },
}
