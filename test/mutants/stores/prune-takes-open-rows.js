export const mutant = {
  says: 'Old deliveries are forgotten, whether they have ended or not.',
  joins: 'prune × open rows',
  file: 'src/stores/shared/upkeep/prune.ts',
  find: 'wanted: sql`status = ${status} and updated_at < ${before}`',
  replace: 'wanted: sql`updated_at < ${before}`',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'prune leaves what is open' },
}
