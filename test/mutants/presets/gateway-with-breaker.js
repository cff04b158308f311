export const mutant = {
  says: 'Under gateway a failing endpoint is held, and its rows miss their times.',
  joins: 'gateway × breaker',
  file: 'src/core/delivery/presets.ts',
  find: 'breaker: false,\n  fastPath: false,\n  heedsEndpoint: false,',
  replace: 'breaker: true,\n  fastPath: false,\n  heedsEndpoint: true,',
  caughtBy: { file: 'test/acceptance/uc-0268-retry.test.ts', title: 'UC-0268-schedule' },
}
