export const mutant = {
  says: 'What a person cancelled counts as a failure of delivery.',
  joins: 'cancel × rates',
  file: 'src/stores/sqlite/queue/mark.ts',
  find: "if (status === 'dead' && (reason === 'exhausted' || reason === 'crashed'))",
  replace: "if (status === 'dead')",
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'only exhausted and crashed count as dead letters' },
}
