export const mutant = {
  says: 'A delivery gets one send more than its policy has.',
  joins: null,
  file: 'src/core/delivery/delivery.ts',
  find: 'if (attemptCount >= policy.maxAttempts)',
  replace: 'if (attemptCount > policy.maxAttempts)',
  caughtBy: { file: 'test/acceptance/uc-0268-retry.test.ts', title: 'UC-0268-S2' },
}
