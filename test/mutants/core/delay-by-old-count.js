export const mutant = {
  says: 'The wait is looked up by the count before the failure.',
  joins: 'retry policy × count',
  file: 'src/core/delivery/delivery.ts',
  find: 'delayAfter(policy, attemptCount, random)',
  replace: 'delayAfter(policy, attemptCount - 1, random)',
  caughtBy: { file: 'test/acceptance/uc-0268-retry.test.ts', title: 'UC-0268-schedule' },
}
