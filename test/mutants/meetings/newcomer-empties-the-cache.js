export const mutant = {
  says: 'A bounded map that is full forgets everything.',
  joins: 'limits × cache',
  file: 'src/core/lru.ts',
  find: '      this.entries.delete(key)\n      return',
  replace: '      this.entries.delete(key)',
  caughtBy: { file: 'test/engine/matchings.test.ts', title: 'E18 the 10,001st application' },
}
