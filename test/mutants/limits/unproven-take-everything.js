export const mutant = {
  says: 'Endpoints without a success may hold all rows.',
  joins: 'budget × hung endpoints',
  file: 'src/engine/endpoints/budget.ts',
  find: 'Math.ceil(maxLeased / 2) - this.#unprovenRows',
  replace: 'free',
  caughtBy: { file: 'test/engine/budget.test.ts', title: '1,000 hung endpoints hold at most half of it' },
}
