export const mutant = {
  says: 'A message that is refused takes with it those that were to be stored beside it, and they are stored all the same.',
  joins: 'group commit × refusal',
  file: 'src/stores/shared/batching/line.ts',
  find: 'if (batch.length === 1) rejectAll(batch, error)',
  replace: 'if (batch.length === 1) rejectAll(members, error)',
  caughtBy: { file: 'test/stores/batcher.test.ts', title: 'E6 what was stored is answered as stored' },
  simulated: { seeds: 2_000, scenario: 'e06-group-commit-meets-refusal.json' },
}
