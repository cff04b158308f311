export const mutant = {
  says: 'Under gateway an endpoint can put its retries off.',
  joins: 'gateway × Retry-After',
  file: 'src/core/delivery/presets.ts',
  find: 'heedsEndpoint: false',
  replace: 'heedsEndpoint: true',
  caughtBy: { file: 'test/acceptance/uc-0268-retry.test.ts', title: 'UC-0268-S1' },
}
