export const mutant = {
  says: 'When the store is away, the members of a group are tried one by one.',
  joins: 'group commit × dead store',
  file: 'src/stores/shared/batching/line.ts',
  find: 'if (!isOfData(error)) return',
  replace: 'if (members.length === 0) return',
  caughtBy: { file: 'test/stores/batcher.test.ts', title: 'E7 a dead store answers five hundred senders at once' },
  simulated: { seeds: 2_000, scenario: 'e07-group-commit-meets-dead-store.json' },
}
