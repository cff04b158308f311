export const mutant = {
  says: 'After a claim during which the worker slept, or the store stood still, it rests for as long again.',
  joins: 'rest between claims × sleeping worker',
  file: 'src/engine/claim/portions.ts',
  find: 'Math.min(restsPerPortion * ms, mostRestMs)',
  replace: 'Math.min(ms, 1_000 * mostRestMs)',
  caughtBy: {
    file: 'test/simulation/scenarios.test.ts',
    title: 'the world of %s keeps every promise',
    row: 'rest-meets-sleeping-worker.json',
  },
}
