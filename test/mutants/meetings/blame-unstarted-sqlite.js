export const mutant = {
  says: 'On SQLite a takeover is a crash, whether an attempt was started or not.',
  joins: 'poison × lease',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: "tookOver: hasCrashed ? 'crashed' : 'interrupted'",
  replace: "tookOver: 'crashed'",
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a lease that ran out is due again' },
}
