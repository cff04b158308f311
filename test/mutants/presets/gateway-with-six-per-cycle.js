export const mutant = {
  says: 'Under gateway a cycle sends six.',
  joins: null,
  file: 'src/core/delivery/presets.ts',
  find: 'perCycle: 5,',
  replace: 'perCycle: 6,',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-S1' },
}
