export const mutant = {
  says: 'A bounded map that is full forgets everything.',
  joins: 'limits × cache',
  file: 'src/core/lru.ts',
  find: 'if (this.entries.size > this.most && this.oldest !== null) this.delete(this.oldest.key)',
  replace: 'if (this.entries.size > this.most) while (this.oldest !== null) this.delete(this.oldest.key)',
  caughtBy: { file: 'test/engine/matchings.test.ts', title: 'E18 the 10,001st application' },
}
