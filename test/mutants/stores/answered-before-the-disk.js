export const mutant = {
  says: 'A commit on SQLite is answered before it is on the disk.',
  joins: 'commit × failing machine',
  file: 'src/stores/sqlite/database.ts',
  find: 'if (turnError === undefined && writes && this.#log !== null) void this.#settleOnceSynced(members)\n    else settleAll',
  replace: 'settleAll',
  caughtBy: { file: 'test/stores/log-sync.test.ts', title: 'in a store by default' },
}
