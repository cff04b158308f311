export const mutant = {
  says: 'A delivery that has ended five workers gets a sixth.',
  joins: null,
  file: 'src/core/delivery/delivery.ts',
  find: 'deadAfterCrashes = 5',
  replace: 'deadAfterCrashes = 6',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'is the last if it is the fifth' },
}
