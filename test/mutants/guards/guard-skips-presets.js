export const mutant = {
  says: "The start-up guard looks at policies of one's own only, and not at those that ship.",
  joins: 'guard × presets',
  file: 'src/config/engine-settings.ts',
  find: 'for (const policy of all) checkPolicy(policy, allowUnsafeRetryDelays)',
  replace: 'for (const policy of all.slice(known.length + 1)) checkPolicy(policy, allowUnsafeRetryDelays)',
  caughtBy: { file: 'test/acceptance/retry-contract.test.ts', title: 'RR-3.4-guard' },
}
