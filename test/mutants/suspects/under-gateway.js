export const mutant = {
  says: 'Under gateway there are suspects, whose rows miss their times.',
  joins: 'gateway × suspects',
  file: 'src/core/delivery/presets.ts',
  find: 'suspects: false',
  replace: 'suspects: true',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'under gateway there are no suspects' },
}
