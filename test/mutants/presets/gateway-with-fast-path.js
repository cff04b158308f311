export const mutant = {
  says: 'Under gateway a message leaves at once, outside of any cycle.',
  joins: 'gateway × fast path',
  file: 'src/core/delivery/presets.ts',
  find: 'fastPath: false',
  replace: 'fastPath: true',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-A1' },
}
