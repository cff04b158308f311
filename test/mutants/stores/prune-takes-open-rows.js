export const mutant = {
  says: 'Old deliveries are forgotten, whether they have ended or not.',
  joins: 'prune × open rows',
  file: 'src/stores/shared/directory/operations.ts',
  find: "status in ('delivered', 'dead') and updated_at < ${before}",
  replace: 'updated_at < ${before}',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'prune leaves what is open' },
}
