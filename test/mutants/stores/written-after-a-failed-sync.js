export const mutant = {
  says: 'After a sync that failed, more is written behind what may be missing in the log.',
  joins: 'commit × failing disk',
  file: 'src/stores/sqlite/database.ts',
  find: '      this.#isLogDoubtful = true\n',
  replace: '',
  caughtBy: {
    file: 'test/stores/log-sync.test.ts',
    title: 'has all of the log folded into the file before anything is added',
  },
}
