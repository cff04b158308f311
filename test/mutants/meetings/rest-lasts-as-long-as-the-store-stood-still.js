export const mutant = {
  says: 'After a claim during which the worker slept, or the store stood still, it rests for as long again.',
  joins: 'rest between claims × sleeping worker',
  file: 'src/engine/claim/portions.ts',
  find: 'Math.min(restsPerPortion * ms, mostRestMs)',
  replace: 'Math.min(restsPerPortion * ms, 1_000 * mostRestMs)',
  caughtBy: {
    file: 'test/engine/portions.test.ts',
    title: 'portions of endpoints that nothing has reached lately %s',
    row: 'rest for half a second at most: what took longer stood still',
  },
}
