export const mutant = {
  says: 'On SQLite a mark is fenced by its epoch only: anybody may mark.',
  joins: 'fencing × owner',
  file: 'src/stores/sqlite/queue/mark.ts',
  find: 'where id = ?1 and lease_owner = ?2 and lease_epoch = ?3',
  replace: 'where id = ?1 and ?2 is not null and lease_epoch = ?3',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a wrong owner has lost' },
}
