export const mutant = {
  says: 'The guard looks at the base of an exponential policy, and not at its cap.',
  joins: 'guard × cap',
  file: 'src/core/delivery/retry-policy.ts',
  find: 'delays.capMs === null ? [delays.baseMs] : [delays.baseMs, delays.capMs]',
  replace: '[delays.baseMs]',
  caughtBy: { file: 'test/acceptance/retry-contract.test.ts', title: 'RR-3.4-guard' },
}
