export const mutant = {
  says: 'Each worker takes a whole step of the ramp.',
  joins: 'ramp × workers',
  file: 'src/core/limits/ramp.ts',
  find: 'mostDoublings), sharers)',
  replace: 'mostDoublings), 1)',
  caughtBy: { file: 'test/core/ramp.test.ts', title: '%s', row: 'is divided among the workers' },
}
