export const mutant = {
  says: 'A worker that takes a row over from itself sends it once more.',
  joins: 'takeover × own attempt',
  file: 'src/engine/claim/claim.ts',
  find: 'if (own === undefined) attempts',
  replace: 'if (leaseEpoch > 0) attempts',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'is taken up again by the same worker' },
}
