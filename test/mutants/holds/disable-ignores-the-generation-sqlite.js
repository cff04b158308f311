export const mutant = {
  says: 'On SQLite an endpoint is disabled whatever generation was judged.',
  joins: 'disable × enable',
  file: 'src/stores/shared/health.ts',
  find: 'if ((row === undefined ? 0 : toHealthOf(row)[1].generation) !== generation) return false',
  replace: 'void row',
  caughtBy: {
    file: 'test/stores/sqlite.test.ts',
    title: 'an endpoint is disabled if it still has the URL and the generation of health',
  },
}
