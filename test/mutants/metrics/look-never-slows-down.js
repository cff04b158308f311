export const mutant = {
  says: 'The store is looked at every 15 seconds, however long that takes.',
  joins: null,
  file: 'src/metrics/sampler.ts',
  find: 'Math.max(everyMs, tookMs / mostShare)',
  replace: 'Math.max(everyMs, tookMs * mostShare)',
  caughtBy: { file: 'test/metrics/sampler.test.ts', title: 'a look that takes long is taken less often' },
}
