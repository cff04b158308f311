export const mutant = {
  says: 'The guard lets 29 seconds pass.',
  joins: null,
  file: 'src/core/delivery/retry-policy.ts',
  find: 'if (delayMs >= safeDelayMs || allowUnsafe) return',
  replace: 'if (delayMs >= safeDelayMs - second || allowUnsafe) return',
  caughtBy: { file: 'test/acceptance/retry-contract.test.ts', title: 'RR-3.4-guard' },
}
