export const mutant = {
  says: 'On SQLite a mark is fenced by its owner only: an old epoch overwrites the new one.',
  joins: 'fencing × requeue',
  file: 'src/stores/sqlite/queue/mark.ts',
  find: 'where id = ?1 and lease_owner = ?2 and lease_epoch = ?3',
  replace: 'where id = ?1 and lease_owner = ?2 and ?3 is not null',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'an old epoch has lost' },
}
