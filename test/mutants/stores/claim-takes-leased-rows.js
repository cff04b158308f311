export const mutant = {
  says: 'A claim takes rows that another worker is sending.',
  joins: 'claim × lease',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: 'd.lease_until is null or d.lease_until <= ?2 or',
  replace: 'd.lease_until is not ?1 or',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a row under a live lease is passed over' },
}
