export const mutant = {
  says: 'One key of the API takes everything that is free.',
  joins: 'requests × keys',
  file: 'src/core/limits/shared-limit.ts',
  find: 'holder === null ? this.#free : shareOfFree(this.#free, held, 1)',
  replace: 'this.#free',
  caughtBy: { file: 'test/security/api-room.test.ts', title: 'unfinished bodies of one portal key refuse nobody else' },
}
