export const mutant = {
  says: 'An attempt of before a requeue, still under way, is taken for the new one.',
  joins: 'requeue × own attempt',
  file: 'src/engine/claim/claim.ts',
  find: 'found.tookOver === null || leaseEpoch !== own.leaseEpoch + 1',
  replace: 'leaseEpoch < own.leaseEpoch',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'a requeue is answered by a new attempt' },
}
