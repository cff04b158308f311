export const mutant = {
  says: 'The dead-letter rate of the metrics is of all time, not of the last 15 minutes.',
  joins: null,
  file: 'src/api/sample.ts',
  find: 'if (start <= now - windowMs)',
  replace: 'if (start <= now - 9 * windowMs)',
  caughtBy: { file: 'test/metrics/sampler.test.ts', title: 'of the past each look reads only what' },
}
